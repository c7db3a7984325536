;; A component that exports nothing, and so no contract. It must be refused: it is no step.
(component)
