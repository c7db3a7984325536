//! How a host that serves begins and ends.

use support::service::Service;
use support::workspace::Workspace;

#[test]
fn a_host_answers_on_both_doors_and_ends_when_it_is_told() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let host = Workspace::with_config(dir.path(), "").expect("a workspace");
    let mut service = Service::start(&host);
    assert_eq!(service.send_with(None, "GET", "/readyz", &[], b"").status(), Some(200));
    assert_eq!(service.send_with(None, "GET", "/v1/works", &[], b"").status(), Some(401));
    let listed = service.send_locally("GET", "/v1/works", &[], b"");
    assert_eq!((listed.status(), listed.body()), (Some(200), &b"{\"works\":[]}"[..]));
    assert!(service.stop().success());
    let files = std::fs::read_dir(dir.path()).expect("a folder").flatten();
    assert!(!files.into_iter().any(|file| file.file_name().to_string_lossy().ends_with(".sock")));
}
