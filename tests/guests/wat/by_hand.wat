;; A step written by hand, which does what no SDK would let it do. The first letter of its payload, a JSON string, says what; its
;; tests say which. With any other letter it is done, and gives its payload back.
(component
  (import "onceward:step/journal@0.1.0" (instance $journal (export "note" (func (param "text" string)))))
  (import "onceward:step/decisions@0.1.0" (instance $decisions
    (type $origin-shape (enum "asked" "cached" "pinned"))
    (export "origin" (type $origin (eq $origin-shape)))
    (type $decision-shape (record (field "answer" string) (field "origin" $origin)))
    (export "decision" (type $decision (eq $decision-shape)))
    (type $error-shape (variant
      (case "not-granted" string)
      (case "model-failed" string)
      (case "invalid-answer" string)
      (case "invalid-question" string)
      (case "limit" string)
      (case "rejected" string)
    ))
    (export "decision-error" (type $error (eq $error-shape)))
    (export "recall" (func (param "slot" string) (result (result (option $decision) (error $error)))))
  ))

  ;; An exported function may only speak of types that are exported beside it, so the guest is a component of its own.
  (component $guest
    (import "journal" (instance $journal (export "note" (func (param "text" string)))))
    (import "decisions" (instance $decisions
      (type $origin-shape (enum "asked" "cached" "pinned"))
      (export "origin" (type $origin (eq $origin-shape)))
      (type $decision-shape (record (field "answer" string) (field "origin" $origin)))
      (export "decision" (type $decision (eq $decision-shape)))
      (type $error-shape (variant
        (case "not-granted" string)
        (case "model-failed" string)
        (case "invalid-answer" string)
        (case "invalid-question" string)
        (case "limit" string)
        (case "rejected" string)
      ))
      (export "decision-error" (type $error (eq $error-shape)))
      (export "recall" (func (param "slot" string) (result (result (option $decision) (error $error)))))
    ))

    ;; The first memory, apart from the code, since the host's functions are made for it before there is code that calls them.
    (core module $heap
      (memory (export "memory") 1)
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
    (alias export $journal "note" (func $note))
    (alias export $decisions "recall" (func $recall))
    (core func $note (canon lower (func $note) (memory $memory)))
    (core func $recall (canon lower (func $recall) (memory $memory) (realloc $realloc)))

    (core module $code
      (import "heap" "memory" (memory $first 1))
      (import "host" "note" (func $note (param i32 i32)))
      (import "host" "recall" (func $recall (param i32 i32 i32)))
      (memory $second 1)
      (table $table 1 funcref)
      (global $entered (mut i32) (i32.const 0))

      (data (memory $first) (i32.const 64) "by-hand")
      ;; No UTF-8: a continuation without a beginning. And "a", U+0000, "b".
      (data (memory $first) (i32.const 96) "\ff\fe")
      (data (memory $first) (i32.const 100) "a\00b")
      ;; The declaration, flattened: the name's address and length, and the version; all else is the first case, or empty.
      (data (memory $first) (i32.const 256) "\40\00\00\00" "\07\00\00\00" "\01\00\00\00")

      (func (export "contract") (result i32) (i32.const 256))

      ;; ok(done(finished { output, needs-review: none })), at 512.
      (func $done (param $at i32) (param $bytes i32) (result i32)
        (i32.store (i32.const 524) (local.get $at))
        (i32.store (i32.const 528) (local.get $bytes))
        (i32.const 512))

      ;; err(reject(reason)), at 512.
      (func $reject (param $at i32) (param $bytes i32) (result i32)
        (i32.store8 (i32.const 512) (i32.const 1))
        (i32.store8 (i32.const 520) (i32.const 2))
        (i32.store (i32.const 528) (local.get $at))
        (i32.store (i32.const 532) (local.get $bytes))
        (i32.const 512))

      ;; Trap where growth was refused, as most languages do.
      (func $grown (param $before i32) (if (i32.eq (local.get $before) (i32.const -1)) (then unreachable)))

      ;; The members of `work`, flattened: id, key, namespace, attempt, source, event-id, payload.
      (func (export "handle")
        (param i32 i32) (param i32 i32) (param i32 i32) (param i32) (param i32 i32) (param i32 i32 i32)
        (param $payload i32) (param $bytes i32)
        (result i32)
        (local $letter i32)
        (local.set $letter (i32.load8_u offset=1 (local.get $payload)))
        ;; a: a note that is no UTF-8.
        (if (i32.eq (local.get $letter) (i32.const 97)) (then (call $note (i32.const 96) (i32.const 2))))
        ;; b: a slot that is no UTF-8.
        (if (i32.eq (local.get $letter) (i32.const 98)) (then
          (call $recall (i32.const 96) (i32.const 2) (i32.const 640))))
        ;; c: an output that is no UTF-8.
        (if (i32.eq (local.get $letter) (i32.const 99)) (then
          (return (call $done (i32.const 96) (i32.const 2)))))
        ;; d: a note with U+0000.
        (if (i32.eq (local.get $letter) (i32.const 100)) (then (call $note (i32.const 100) (i32.const 3))))
        ;; e: a slot with U+0000; a rejection with the words of the error.
        (if (i32.eq (local.get $letter) (i32.const 101)) (then
          (call $recall (i32.const 100) (i32.const 3) (i32.const 640))
          (return (call $reject (i32.load (i32.const 648)) (i32.load (i32.const 652))))))
        ;; f: an output with U+0000.
        (if (i32.eq (local.get $letter) (i32.const 102)) (then
          (return (call $done (i32.const 100) (i32.const 3)))))
        ;; g: to 4 GiB in one step.
        (if (i32.eq (local.get $letter) (i32.const 103)) (then
          (call $grown (memory.grow $first (i32.const 65535)))))
        ;; h: past what a memory of this type can address.
        (if (i32.eq (local.get $letter) (i32.const 104)) (then
          (call $grown (memory.grow $first (i32.const 65536)))))
        ;; i: each memory by 9 pages.
        (if (i32.eq (local.get $letter) (i32.const 105)) (then
          (call $grown (memory.grow $first (i32.const 9)))
          (call $grown (memory.grow $second (i32.const 9)))))
        ;; j: a table of two thousand million entries in one step.
        (if (i32.eq (local.get $letter) (i32.const 106)) (then
          (call $grown (table.grow $table (ref.null func) (i32.const 2000000000)))))
        ;; k: a table that grows without end.
        (if (i32.eq (local.get $letter) (i32.const 107)) (then
          (loop $again
            (call $grown (table.grow $table (ref.null func) (i32.const 1000)))
            (br $again))))
        ;; l: leaves a trace in all that it has, and traps. Where it finds one, it is done.
        (if (i32.eq (local.get $letter) (i32.const 108)) (then
          (if (i32.eqz (i32.or
                (i32.or (global.get $entered) (i32.load (i32.const 2048)))
                (i32.or (i32.load $second (i32.const 2048)) (i32.ne (table.size $table) (i32.const 1)))))
            (then
              (global.set $entered (i32.const 1))
              (i32.store (i32.const 2048) (i32.const 1))
              (i32.store $second (i32.const 2048) (i32.const 1))
              (call $grown (table.grow $table (ref.null func) (i32.const 1)))
              unreachable))))
        ;; m: a note of 2 MiB.
        (if (i32.eq (local.get $letter) (i32.const 109)) (then
          (call $grown (memory.grow $first (i32.const 32)))
          (call $note (i32.const 0) (i32.const 2097152))))
        ;; n: a note of 100000 bytes.
        (if (i32.eq (local.get $letter) (i32.const 110)) (then
          (call $grown (memory.grow $first (i32.const 2)))
          (call $note (i32.const 65536) (i32.const 100000))))
        (call $done (local.get $payload) (local.get $bytes)))
    )
    (core instance $code (instantiate $code
      (with "heap" (instance $heap))
      (with "host" (instance (export "note" (func $note)) (export "recall" (func $recall))))
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
    (with "journal" (instance $journal))
    (with "decisions" (instance $decisions))
  ))
  (export "onceward:step/guest@0.1.0" (instance $guest))
)
