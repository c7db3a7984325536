/** The modules under which QuickJS offers the host's interfaces. */

declare module "onceward:step/context@0.1.0" {
    const context: import("./wit.ts").Host["context"];
    export default context;
}
declare module "onceward:step/decisions@0.1.0" {
    const decisions: import("./wit.ts").Host["decisions"];
    export default decisions;
}
declare module "onceward:step/journal@0.1.0" {
    const journal: import("./wit.ts").Host["journal"];
    export default journal;
}
declare module "onceward:step/ledger@0.1.0" {
    const ledger: import("./wit.ts").Host["ledger"];
    export default ledger;
}
declare module "onceward:step/outbox@0.1.0" {
    const outbox: import("./wit.ts").Host["outbox"];
    export default outbox;
}
declare module "onceward:step/progress@0.1.0" {
    const progress: import("./wit.ts").Host["progress"];
    export default progress;
}
