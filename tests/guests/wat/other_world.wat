;; A component of a world that this host does not know yet. It must be refused for its version, before it is compiled.
(component
  (instance $guest)
  (export "onceward:step/guest@0.9.0" (instance $guest))
)
