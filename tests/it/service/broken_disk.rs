//! A host whose disk fails while it serves: nobody is told that anything was recorded, and the host ends.

use crate::disk_fails::{FSYNC, FailingDisk, WRITE};
use crate::service::served::check;
use serde_json::json;
use std::process::ExitStatus;
use std::time::{Duration, Instant};
use support::paths;
use support::service::Service;
use support::workspace::Workspace;

/// How long the host may take to end. It is asked about again and again until then.
const PATIENCE: Duration = Duration::from_secs(60);

/// Wait until nothing is under way: the end of a run would else meet the disk, and the host end, before anybody asks it.
fn rests(host: &Service) {
    let until = Instant::now() + PATIENCE;
    while host.get("/v1/status").json().expect("a status")["idle"] != true {
        assert!(Instant::now() < until, "the host does not come to rest");
        std::thread::park_timeout(Duration::from_millis(10));
    }
}

fn ends(host: &mut Service, kind: &str) -> ExitStatus {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = host.ended() {
            return status;
        }
        assert!(Instant::now() < until, "{kind}: the host goes on over a disk that has failed");
        std::thread::park_timeout(Duration::from_millis(10));
    }
}

#[test]
fn a_host_whose_disk_fails_acknowledges_nothing_more_and_ends() {
    for kind in [FSYNC, WRITE] {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let Some(disk) = FailingDisk::build(dir.path()) else { return };
        let config = format!(
            "[runtime]\ncache_dir = {:?}\n[[step]]\nplugin = {:?}\n[source.echo]\nkind = \"json\"\nopen = true\nid = {{ pointer = \"/id\" }}\n",
            paths::compile_cache().display(),
            paths::step("echo").display()
        );
        let workspace = Workspace::with_config(&dir.path().join("host"), &config).expect("a workspace");
        let mut command = workspace.command(&[]);
        disk.under(&mut command);
        let mut host = Service::spawn(command);
        let send = |host: &Service, id: &str| host.post("/v1/sources/echo/events", &json!({ "id": id }));
        check(&send(&host, "kept"), 202, "accepted");
        rests(&host);
        disk.fail(kind);
        check(&send(&host, "lost"), 503, "unavailable");
        assert!(!ends(&mut host, kind).success(), "{kind}");
        disk.mend();
        let host = Service::start(&workspace);
        check(&send(&host, "kept"), 200, "duplicate");
        // Whether the refused one is on disk nobody can know. Its sender, who was not acknowledged, sends it again.
        assert!(matches!(send(&host, "lost").status(), Some(200 | 202)), "{kind}");
    }
}
