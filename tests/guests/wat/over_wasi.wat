;; A step written by hand over WASI 0.2. The first letter of its payload, a JSON string, says what it does; its output is a list of
;; whole numbers, or with any other letter its payload.
(component $step
  (import "wasi:io/poll@0.2.0" (instance $poll
    (export "pollable" (type $pollable (sub resource)))
    (export "[method]pollable.block" (func (param "self" (borrow $pollable))))
    (export "[method]pollable.ready" (func (param "self" (borrow $pollable)) (result bool)))
    (export "poll" (func (param "in" (list (borrow $pollable))) (result (list u32))))
  ))
  (alias export $poll "pollable" (type $pollable))
  (import "wasi:io/error@0.2.0" (instance $error
    (export "error" (type $error (sub resource)))
  ))
  (alias export $error "error" (type $error))
  (import "wasi:io/streams@0.2.0" (instance $streams
    (export "input-stream" (type $input-stream (sub resource)))
    (export "output-stream" (type $output-stream (sub resource)))
    (alias outer $step $error (type $of-error))
    (export "error" (type $error (eq $of-error)))
    (type $stream-error-shape (variant (case "last-operation-failed" (own $error)) (case "closed")))
    (export "stream-error" (type $stream-error (eq $stream-error-shape)))
    (export "[method]input-stream.blocking-read" (func (param "self" (borrow $input-stream)) (param "len" u64)
      (result (result (list u8) (error $stream-error)))))
    (export "[method]output-stream.blocking-write-and-flush" (func (param "self" (borrow $output-stream))
      (param "contents" (list u8)) (result (result (error $stream-error)))))
  ))
  (alias export $streams "input-stream" (type $input-stream))
  (alias export $streams "output-stream" (type $output-stream))
  (import "wasi:cli/stdin@0.2.0" (instance $stdin
    (alias outer $step $input-stream (type $of-input-stream))
    (export "input-stream" (type $input-stream (eq $of-input-stream)))
    (export "get-stdin" (func (result (own $input-stream))))
  ))
  (import "wasi:cli/stdout@0.2.0" (instance $stdout
    (alias outer $step $output-stream (type $of-output-stream))
    (export "output-stream" (type $output-stream (eq $of-output-stream)))
    (export "get-stdout" (func (result (own $output-stream))))
  ))
  (import "wasi:cli/stderr@0.2.0" (instance $stderr
    (alias outer $step $output-stream (type $of-output-stream))
    (export "output-stream" (type $output-stream (eq $of-output-stream)))
    (export "get-stderr" (func (result (own $output-stream))))
  ))
  (import "wasi:cli/environment@0.2.0" (instance $environment
    (export "get-environment" (func (result (list (tuple string string)))))
    (export "get-arguments" (func (result (list string))))
  ))
  (import "wasi:cli/exit@0.2.0" (instance $exit
    (export "exit" (func (param "status" (result))))
  ))
  (import "wasi:clocks/monotonic-clock@0.2.0" (instance $monotonic-clock
    (alias outer $step $pollable (type $of-pollable))
    (export "pollable" (type $pollable (eq $of-pollable)))
    (export "now" (func (result u64)))
    (export "subscribe-instant" (func (param "when" u64) (result (own $pollable))))
    (export "subscribe-duration" (func (param "when" u64) (result (own $pollable))))
  ))
  (import "wasi:clocks/wall-clock@0.2.0" (instance $wall-clock
    (type $datetime-shape (record (field "seconds" u64) (field "nanoseconds" u32)))
    (export "datetime" (type $datetime (eq $datetime-shape)))
    (export "now" (func (result $datetime)))
  ))
  (import "wasi:random/random@0.2.0" (instance $random
    (export "get-random-bytes" (func (param "len" u64) (result (list u8))))
    (export "get-random-u64" (func (result u64)))
  ))
  (import "wasi:random/insecure@0.2.0" (instance $insecure
    (export "get-insecure-random-u64" (func (result u64)))
  ))
  (import "wasi:random/insecure-seed@0.2.0" (instance $insecure-seed
    (export "insecure-seed" (func (result (tuple u64 u64))))
  ))
  (import "wasi:filesystem/types@0.2.0" (instance $files
    (export "descriptor" (type $descriptor (sub resource)))
  ))
  (alias export $files "descriptor" (type $descriptor))
  (import "wasi:filesystem/preopens@0.2.0" (instance $preopens
    (alias outer $step $descriptor (type $of-descriptor))
    (export "descriptor" (type $descriptor (eq $of-descriptor)))
    (export "get-directories" (func (result (list (tuple (own $descriptor) string)))))
  ))
  (import "wasi:sockets/network@0.2.0" (instance $sockets
    (export "network" (type $network (sub resource)))
  ))
  (alias export $sockets "network" (type $network))
  (import "wasi:sockets/instance-network@0.2.0" (instance $instance-network
    (alias outer $step $network (type $of-network))
    (export "network" (type $network (eq $of-network)))
    (export "instance-network" (func (result (own $network))))
  ))

  ;; An exported function may only speak of types that are exported beside it, so the guest is a component of its own.
  (component $guest
    (import "poll" (instance $poll
      (export "pollable" (type $pollable (sub resource)))
      (export "[method]pollable.block" (func (param "self" (borrow $pollable))))
      (export "[method]pollable.ready" (func (param "self" (borrow $pollable)) (result bool)))
      (export "poll" (func (param "in" (list (borrow $pollable))) (result (list u32))))
    ))
    (alias export $poll "pollable" (type $pollable))
    (import "error" (instance $error
      (export "error" (type $error (sub resource)))
    ))
    (alias export $error "error" (type $error))
    (import "streams" (instance $streams
      (export "input-stream" (type $input-stream (sub resource)))
      (export "output-stream" (type $output-stream (sub resource)))
      (alias outer $guest $error (type $of-error))
      (export "error" (type $error (eq $of-error)))
      (type $stream-error-shape (variant (case "last-operation-failed" (own $error)) (case "closed")))
      (export "stream-error" (type $stream-error (eq $stream-error-shape)))
      (export "[method]input-stream.blocking-read" (func (param "self" (borrow $input-stream)) (param "len" u64)
        (result (result (list u8) (error $stream-error)))))
      (export "[method]output-stream.blocking-write-and-flush" (func (param "self" (borrow $output-stream))
        (param "contents" (list u8)) (result (result (error $stream-error)))))
    ))
    (alias export $streams "input-stream" (type $input-stream))
    (alias export $streams "output-stream" (type $output-stream))
    (import "stdin" (instance $stdin
      (alias outer $guest $input-stream (type $of-input-stream))
      (export "input-stream" (type $input-stream (eq $of-input-stream)))
      (export "get-stdin" (func (result (own $input-stream))))
    ))
    (import "stdout" (instance $stdout
      (alias outer $guest $output-stream (type $of-output-stream))
      (export "output-stream" (type $output-stream (eq $of-output-stream)))
      (export "get-stdout" (func (result (own $output-stream))))
    ))
    (import "stderr" (instance $stderr
      (alias outer $guest $output-stream (type $of-output-stream))
      (export "output-stream" (type $output-stream (eq $of-output-stream)))
      (export "get-stderr" (func (result (own $output-stream))))
    ))
    (import "environment" (instance $environment
      (export "get-environment" (func (result (list (tuple string string)))))
      (export "get-arguments" (func (result (list string))))
    ))
    (import "exit" (instance $exit
      (export "exit" (func (param "status" (result))))
    ))
    (import "monotonic-clock" (instance $monotonic-clock
      (alias outer $guest $pollable (type $of-pollable))
      (export "pollable" (type $pollable (eq $of-pollable)))
      (export "now" (func (result u64)))
      (export "subscribe-instant" (func (param "when" u64) (result (own $pollable))))
      (export "subscribe-duration" (func (param "when" u64) (result (own $pollable))))
    ))
    (import "wall-clock" (instance $wall-clock
      (type $datetime-shape (record (field "seconds" u64) (field "nanoseconds" u32)))
      (export "datetime" (type $datetime (eq $datetime-shape)))
      (export "now" (func (result $datetime)))
    ))
    (import "random" (instance $random
      (export "get-random-bytes" (func (param "len" u64) (result (list u8))))
      (export "get-random-u64" (func (result u64)))
    ))
    (import "insecure" (instance $insecure
      (export "get-insecure-random-u64" (func (result u64)))
    ))
    (import "insecure-seed" (instance $insecure-seed
      (export "insecure-seed" (func (result (tuple u64 u64))))
    ))
    (import "files" (instance $files
      (export "descriptor" (type $descriptor (sub resource)))
    ))
    (alias export $files "descriptor" (type $descriptor))
    (import "preopens" (instance $preopens
      (alias outer $guest $descriptor (type $of-descriptor))
      (export "descriptor" (type $descriptor (eq $of-descriptor)))
      (export "get-directories" (func (result (list (tuple (own $descriptor) string)))))
    ))
    (import "sockets" (instance $sockets
      (export "network" (type $network (sub resource)))
    ))
    (alias export $sockets "network" (type $network))
    (import "instance-network" (instance $instance-network
      (alias outer $guest $network (type $of-network))
      (export "network" (type $network (eq $of-network)))
      (export "instance-network" (func (result (own $network))))
    ))

    ;; The memory, apart from the code, since the host's functions are made for it before there is code that calls them.
    (core module $heap
      (memory (export "memory") 4)
      (global $free (mut i32) (i32.const 4096))
      ;; What is taken is never given back: an instance lives for one run.
      (func (export "realloc") (param i32 i32 i32) (param $bytes i32) (result i32)
        (local $at i32)
        (local.set $at (i32.and (i32.add (global.get $free) (i32.const 7)) (i32.const -8)))
        (global.set $free (i32.add (local.get $at) (local.get $bytes)))
        (local.get $at))
    )
    (core instance $heap (instantiate $heap))
    (alias core export $heap "memory" (core memory $memory))
    (alias core export $heap "realloc" (core func $realloc))
    (alias export $poll "[method]pollable.block" (func $pollable-block))
    (core func $pollable-block (canon lower (func $pollable-block)))
    (alias export $poll "[method]pollable.ready" (func $pollable-ready))
    (core func $pollable-ready (canon lower (func $pollable-ready)))
    (alias export $poll "poll" (func $poll))
    (core func $poll (canon lower (func $poll) (memory $memory) (realloc $realloc)))
    (alias export $streams "[method]input-stream.blocking-read" (func $read))
    (core func $read (canon lower (func $read) (memory $memory) (realloc $realloc)))
    (alias export $streams "[method]output-stream.blocking-write-and-flush" (func $write))
    (core func $write (canon lower (func $write) (memory $memory)))
    (alias export $stdin "get-stdin" (func $get-stdin))
    (core func $get-stdin (canon lower (func $get-stdin)))
    (alias export $stdout "get-stdout" (func $get-stdout))
    (core func $get-stdout (canon lower (func $get-stdout)))
    (alias export $stderr "get-stderr" (func $get-stderr))
    (core func $get-stderr (canon lower (func $get-stderr)))
    (alias export $environment "get-environment" (func $get-environment))
    (core func $get-environment (canon lower (func $get-environment) (memory $memory) (realloc $realloc)))
    (alias export $environment "get-arguments" (func $get-arguments))
    (core func $get-arguments (canon lower (func $get-arguments) (memory $memory) (realloc $realloc)))
    (alias export $exit "exit" (func $exit))
    (core func $exit (canon lower (func $exit)))
    (alias export $monotonic-clock "now" (func $instant))
    (core func $instant (canon lower (func $instant)))
    (alias export $monotonic-clock "subscribe-instant" (func $subscribe-instant))
    (core func $subscribe-instant (canon lower (func $subscribe-instant)))
    (alias export $monotonic-clock "subscribe-duration" (func $subscribe-duration))
    (core func $subscribe-duration (canon lower (func $subscribe-duration)))
    (alias export $wall-clock "now" (func $unix))
    (core func $unix (canon lower (func $unix) (memory $memory)))
    (alias export $random "get-random-bytes" (func $random-bytes))
    (core func $random-bytes (canon lower (func $random-bytes) (memory $memory) (realloc $realloc)))
    (alias export $random "get-random-u64" (func $random))
    (core func $random (canon lower (func $random)))
    (alias export $insecure "get-insecure-random-u64" (func $insecure))
    (core func $insecure (canon lower (func $insecure)))
    (alias export $insecure-seed "insecure-seed" (func $insecure-seed))
    (core func $insecure-seed (canon lower (func $insecure-seed) (memory $memory)))
    (alias export $preopens "get-directories" (func $get-directories))
    (core func $get-directories (canon lower (func $get-directories) (memory $memory) (realloc $realloc)))
    (alias export $instance-network "instance-network" (func $instance-network))
    (core func $instance-network (canon lower (func $instance-network)))

    (core module $code
      (import "heap" "memory" (memory 4))
      (import "wasi" "pollable-block" (func $pollable-block (param i32)))
      (import "wasi" "pollable-ready" (func $pollable-ready (param i32) (result i32)))
      (import "wasi" "poll" (func $poll (param i32 i32 i32)))
      (import "wasi" "read" (func $read (param i32 i64 i32)))
      (import "wasi" "write" (func $write (param i32 i32 i32 i32)))
      (import "wasi" "get-stdin" (func $get-stdin (result i32)))
      (import "wasi" "get-stdout" (func $get-stdout (result i32)))
      (import "wasi" "get-stderr" (func $get-stderr (result i32)))
      (import "wasi" "get-environment" (func $get-environment (param i32)))
      (import "wasi" "get-arguments" (func $get-arguments (param i32)))
      (import "wasi" "exit" (func $exit (param i32)))
      (import "wasi" "instant" (func $instant (result i64)))
      (import "wasi" "subscribe-instant" (func $subscribe-instant (param i64) (result i32)))
      (import "wasi" "subscribe-duration" (func $subscribe-duration (param i64) (result i32)))
      (import "wasi" "unix" (func $unix (param i32)))
      (import "wasi" "random-bytes" (func $random-bytes (param i64 i32)))
      (import "wasi" "random" (func $random (result i64)))
      (import "wasi" "insecure" (func $insecure (result i64)))
      (import "wasi" "insecure-seed" (func $insecure-seed (param i32)))
      (import "wasi" "get-directories" (func $get-directories (param i32)))
      (import "wasi" "instance-network" (func $instance-network (result i32)))
      (global $end (mut i32) (i32.const 1024))

      (data (i32.const 64) "over-wasi")
      (data (i32.const 80) "one\ntwo")
      (data (i32.const 96) "what is wrong\n")
      ;; The declaration, flattened: the name's address and length, and the version; all else is the first case, or empty.
      (data (i32.const 256) "\40\00\00\00" "\09\00\00\00" "\01\00\00\00")

      ;; Run-time systems ask for time and randomness when they start, so that a contract can be read only where they get some.
      (func $begin
        (call $unix (i32.const 640))
        (drop (call $random))
        (call $get-directories (i32.const 640)))
      (start $begin)

      (func (export "contract") (result i32)
        ;; what a contract calls
        (i32.const 256))

      ;; ok(done(finished { output, needs-review: none })), at 512.
      (func $done (param $at i32) (param $bytes i32) (result i32)
        (i32.store (i32.const 524) (local.get $at))
        (i32.store (i32.const 528) (local.get $bytes))
        (i32.const 512))

      (func $put (param $byte i32)
        (i32.store8 (global.get $end) (local.get $byte))
        (global.set $end (i32.add (global.get $end) (i32.const 1))))

      (func $digits (param $number i64)
        (if (i64.ge_u (local.get $number) (i64.const 10)) (then
          (call $digits (i64.div_u (local.get $number) (i64.const 10)))))
        (call $put (i32.add (i32.const 48) (i32.wrap_i64 (i64.rem_u (local.get $number) (i64.const 10))))))

      ;; One more number of the list, which is at 1024.
      (func $say (param $number i64)
        (call $put (select (i32.const 91) (i32.const 44) (i32.eq (global.get $end) (i32.const 1024))))
        (call $digits (local.get $number)))

      (func $said (result i32)
        (call $put (i32.const 93))
        (call $done (i32.const 1024) (i32.sub (global.get $end) (i32.const 1024))))

      ;; Both clocks.
      (func $say-time
        (call $unix (i32.const 640))
        (call $say (i64.load (i32.const 640)))
        (call $say (i64.load32_u (i32.const 648)))
        (call $say (call $instant)))

      ;; Half of a random number, which is one in any language's JSON.
      (func $say-half (param $number i64) (call $say (i64.shr_u (local.get $number) (i64.const 1))))

      (func $is (param $letter i32) (param $payload i32) (result i32)
        (i32.eq (i32.load8_u offset=1 (local.get $payload)) (local.get $letter)))

      ;; The members of `work`, flattened: id, key, namespace, attempt, source, event-id, payload.
      (func (export "handle")
        (param i32 i32) (param i32 i32) (param i32 i32) (param i32) (param i32 i32) (param i32 i32 i32)
        (param $payload i32) (param $bytes i32)
        (result i32)
        ;; a: the time.
        (if (call $is (i32.const 97) (local.get $payload)) (then
          (call $say-time)
          (return (call $said))))
        ;; b: the time after a sleep of 90 minutes.
        (if (call $is (i32.const 98) (local.get $payload)) (then
          (call $pollable-block (call $subscribe-duration (i64.const 5400000000000)))
          (call $say-time)
          (return (call $said))))
        ;; c: of two timers, of two hours and of one, the ready ones, and the time.
        (if (call $is (i32.const 99) (local.get $payload)) (then
          (i32.store (i32.const 700) (call $subscribe-duration (i64.const 7200000000000)))
          (i32.store (i32.const 704) (call $subscribe-duration (i64.const 3600000000000)))
          (call $say (i64.extend_i32_u (call $pollable-ready (i32.load (i32.const 704)))))
          (call $poll (i32.const 700) (i32.const 2) (i32.const 640))
          (call $say (i64.load32_u (i32.const 644)))
          (call $say (i64.load32_u (i32.load (i32.const 640))))
          (call $say (i64.extend_i32_u (call $pollable-ready (i32.load (i32.const 704)))))
          (call $say-time)
          (return (call $said))))
        ;; d: random numbers, two of `random`, one of `insecure`, one of `insecure-seed`.
        (if (call $is (i32.const 100) (local.get $payload)) (then
          (call $say-half (call $random))
          (call $random-bytes (i64.const 8) (i32.const 640))
          (call $say-half (i64.load (i32.load (i32.const 640))))
          (call $say-half (call $insecure))
          (call $insecure-seed (i32.const 640))
          (call $say-half (i64.load (i32.const 640)))
          (return (call $said))))
        ;; e: lines, the last of them without an end.
        (if (call $is (i32.const 101) (local.get $payload)) (then
          (call $write (call $get-stdout) (i32.const 80) (i32.const 7) (i32.const 640))
          (call $write (call $get-stderr) (i32.const 96) (i32.const 14) (i32.const 640))))
        ;; f: ends itself, with an error.
        (if (call $is (i32.const 102) (local.get $payload)) (then
          (call $write (call $get-stderr) (i32.const 96) (i32.const 13) (i32.const 640))
          (call $exit (i32.const 1))))
        ;; g: waits for ever.
        (if (call $is (i32.const 103) (local.get $payload)) (then
          (call $pollable-block (call $subscribe-instant (i64.const -1)))))
        ;; h: waits for nothing.
        (if (call $is (i32.const 104) (local.get $payload)) (then
          (call $poll (i32.const 700) (i32.const 0) (i32.const 640))))
        ;; i: wants the network.
        (if (call $is (i32.const 105) (local.get $payload)) (then (drop (call $instance-network))))
        ;; j: 2 MiB of random bytes.
        (if (call $is (i32.const 106) (local.get $payload)) (then
          (call $random-bytes (i64.const 2097152) (i32.const 640))))
        ;; k: sleeps again and again.
        (if (call $is (i32.const 107) (local.get $payload)) (then
          (loop $again
            (call $pollable-block (call $subscribe-duration (i64.const 1000000000)))
            (br $again))))
        ;; l: what it is given: whether the input has ended, and the lengths of arguments, environment and folders.
        (if (call $is (i32.const 108) (local.get $payload)) (then
          (call $read (call $get-stdin) (i64.const 1) (i32.const 640))
          (call $say (i64.load8_u (i32.const 644)))
          (call $get-arguments (i32.const 640))
          (call $say (i64.load32_u (i32.const 644)))
          (call $get-environment (i32.const 640))
          (call $say (i64.load32_u (i32.const 644)))
          (call $get-directories (i32.const 640))
          (call $say (i64.load32_u (i32.const 644)))
          (return (call $said))))
        ;; m: 100000 bytes in one line.
        (if (call $is (i32.const 109) (local.get $payload)) (then
          (memory.fill (i32.const 131072) (i32.const 120) (i32.const 100000))
          (call $write (call $get-stdout) (i32.const 131072) (i32.const 100000) (i32.const 640))))
        (call $done (local.get $payload) (local.get $bytes)))
    )
    (core instance $code (instantiate $code
      (with "heap" (instance $heap))
      (with "wasi" (instance
        (export "pollable-block" (func $pollable-block))
        (export "pollable-ready" (func $pollable-ready))
        (export "poll" (func $poll))
        (export "read" (func $read))
        (export "write" (func $write))
        (export "get-stdin" (func $get-stdin))
        (export "get-stdout" (func $get-stdout))
        (export "get-stderr" (func $get-stderr))
        (export "get-environment" (func $get-environment))
        (export "get-arguments" (func $get-arguments))
        (export "exit" (func $exit))
        (export "instant" (func $instant))
        (export "subscribe-instant" (func $subscribe-instant))
        (export "subscribe-duration" (func $subscribe-duration))
        (export "unix" (func $unix))
        (export "random-bytes" (func $random-bytes))
        (export "random" (func $random))
        (export "insecure" (func $insecure))
        (export "insecure-seed" (func $insecure-seed))
        (export "get-directories" (func $get-directories))
        (export "instance-network" (func $instance-network))
      ))
    ))

    (type $identity-shape (variant (case "event-key") (case "business-key" (list string)) (case "content")))
    (export $identity "identity" (type $identity-shape))
    (type $normalisation-shape (record
      (field "volatile" (list string))
      (field "urls" (list string))
      (field "times" (list string))
      (field "trimmed" (list string))
      (field "content-fields" (option (list string)))
    ))
    (export $normalisation "normalisation" (type $normalisation-shape))
    (type $window-shape (variant (case "for-ever") (case "duration" u64) (case "until-marker" string)))
    (export $window "window" (type $window-shape))
    (type $response-shape (enum "original" "acknowledgement" "error"))
    (export $response "response" (type $response-shape))
    (type $tier-shape (enum "key" "field" "lookup" "blind"))
    (export $tier "tier" (type $tier-shape))
    (type $wanted-shape (record (field "name" string) (field "weakest" $tier)))
    (export $wanted "wanted-destination" (type $wanted-shape))
    (type $mode-shape (enum "recorded" "read-only"))
    (export $mode "mode" (type $mode-shape))
    (type $declaration-shape (record
      (field "name" string)
      (field "version" u32)
      (field "identity" $identity)
      (field "normalisation" $normalisation)
      (field "window" $window)
      (field "response" $response)
      (field "mode" $mode)
      (field "destinations" (list $wanted))
      (field "models" (list string))
    ))
    (export $declaration "declaration" (type $declaration-shape))
    (type $work-shape (record
      (field "id" string)
      (field "key" string)
      (field "namespace" string)
      (field "attempt" u32)
      (field "source" string)
      (field "event-id" (option string))
      (field "payload" string)
    ))
    (export $work "work" (type $work-shape))
    (type $finished-shape (record (field "output" string) (field "needs-review" (option string))))
    (export $finished "finished" (type $finished-shape))
    (type $outcome-shape (variant (case "done" $finished) (case "continue" string)))
    (export $outcome "outcome" (type $outcome-shape))
    (type $later-shape (record (field "reason" string) (field "after-ms" (option u64))))
    (export $later "later" (type $later-shape))
    (type $failure-shape (variant (case "retry" $later) (case "review" string) (case "reject" string)))
    (export $failure "failure" (type $failure-shape))

    (func (export "contract") (result $declaration)
      (canon lift (core func $code "contract") (memory $memory) (realloc $realloc)))
    (func (export "handle") (param "work" $work) (result (result $outcome (error $failure)))
      (canon lift (core func $code "handle") (memory $memory) (realloc $realloc)))
  )
  (instance $guest (instantiate $guest
    (with "poll" (instance $poll))
    (with "error" (instance $error))
    (with "streams" (instance $streams))
    (with "stdin" (instance $stdin))
    (with "stdout" (instance $stdout))
    (with "stderr" (instance $stderr))
    (with "environment" (instance $environment))
    (with "exit" (instance $exit))
    (with "monotonic-clock" (instance $monotonic-clock))
    (with "wall-clock" (instance $wall-clock))
    (with "random" (instance $random))
    (with "insecure" (instance $insecure))
    (with "insecure-seed" (instance $insecure-seed))
    (with "files" (instance $files))
    (with "preopens" (instance $preopens))
    (with "sockets" (instance $sockets))
    (with "instance-network" (instance $instance-network))
  ))
  (export "onceward:step/guest@0.1.0" (instance $guest))
)
