//! Money: the step that sends invoices is refused where a repeat would not be recognised, before anything has run.

use serde_json::json;
use support::paths;
use support::receiver::evidence;
use support::receiver::process::ReceiverProcess;
use support::workspace::Workspace;

#[test]
fn an_invoice_is_sent_to_a_receiver_that_takes_a_key_and_to_no_weaker_one() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let billing = dir.path().join("billing");
    std::fs::create_dir_all(&billing).expect("a folder for the receiver");
    let receiver =
        ReceiverProcess::spawn(&paths::binary("onceward-receiver"), &billing, &[]).expect("it starts");
    let host = |tier: &str, address: &str| {
        let config = format!(
            "[runtime]\ncache_dir = {:?}\n[[step]]\nplugin = {:?}\ndestinations = [\"billing\"]\n\
             [destination.billing]\nkind = \"http\"\ntier = \"{tier}\"\nallow_private_addresses = true\n{address}\n",
            paths::compile_cache().display().to_string(),
            paths::step("invoice_sender").display().to_string(),
        );
        let host = Workspace::with_config(&dir.path().join(tier), &config).expect("a workspace");
        let invoice = json!({
            "source": "shop", "id": "1", "time": "2026-01-01T10:00:00Z",
            "data": { "issuer": "acme", "number": "7", "customer": "Ada",
                "amount": { "minor": 12_900, "currency": "EUR" } },
        });
        host.write("invoice.json", &invoice.to_string()).expect("an event");
        host
    };
    let plain = format!("url = \"{}\"", receiver.url("/plain/invoices"));
    let field = format!("url = \"{}\"\nmethod = \"PUT\"", receiver.url("/upsert/invoices/{/number}"));
    let search = receiver.url("/search/invoices?field=/external_id&value={key}");
    let lookup = format!(
        "{plain}\nfingerprint = \"/external_id\"\nlook_up = {{ url = \"{search}\", found = \"/found/0/id\" }}"
    );
    for (tier, address) in [("field", &field), ("lookup", &lookup), ("blind", &plain)] {
        let output = host(tier, address).run(&["run", "invoice.json", "--deliver"]).expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{tier}: {said}");
        for words in ["invoice-sender", "\"billing\"", "\"key\" or better", tier] {
            assert!(said.contains(words), "{tier} should say {words:?}, but says: {said}");
        }
    }
    assert_eq!(evidence::counts(&billing).expect("the receiver's file").requests, 0, "nothing was sent");

    let key = format!("url = \"{}\"", receiver.url("/any/invoices"));
    let host = host("key", &key);
    for _ in 0..2 {
        host.json(&["run", "invoice.json", "--deliver"]).expect("it answers");
    }
    assert_eq!(evidence::counts(&billing).expect("the receiver's file").created, 1);
}
