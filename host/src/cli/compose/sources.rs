//! The configured sources: with their secrets, ready to read messages.

use crate::cli::config::{Config, SourceConfig};
use crate::contract::capability::Mode;
use crate::dispatch::setup::StepSetup;
use crate::inbound::signature::{DEFAULT_TOLERANCE_S, Verifier};
use crate::inbound::source::{Proof, Source};
use anyhow::{Context as _, Result, bail};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Every configured source by its name, with the secrets that are there now.
///
/// # Errors
/// A secret that can't be read or is none of its kind.
pub fn sources(config: &Config) -> Result<BTreeMap<String, Source>> {
    let sources = config.sources.iter().map(|(name, configured)| {
        let source =
            source(config, name, configured).with_context(|| format!("setting up the source {name:?}"))?;
        Ok((name.clone(), source))
    });
    sources.collect()
}

fn source(config: &Config, name: &str, configured: &SourceConfig) -> Result<Source> {
    let proof = match configured.kind.scheme() {
        Some(scheme) => {
            let secrets = configured.secrets.iter().enumerate();
            let secrets = secrets.map(|(at, secret)| secret.read(&format!("secrets[{at}]"), config));
            let tolerance_s = configured.tolerance_s.unwrap_or(DEFAULT_TOLERANCE_S);
            Proof::Signature(Verifier::new(scheme, secrets.collect::<Result<Vec<_>>>()?, tolerance_s)?)
        }
        None if configured.open => Proof::Open,
        None => Proof::Token,
    };
    let mut source = Source::new(name, configured.kind, proof);
    configured.place(&mut source)?;
    Ok(source)
}

/// Refuse sources whose step is not there, or records nothing, so that a repeat of a message would run again.
pub(super) fn refuse_without_step(config: &Config, steps: &BTreeMap<String, Arc<StepSetup>>) -> Result<()> {
    for (name, source) in &config.sources {
        let Some(step) = &source.step else { continue };
        match steps.get(step).map(|setup| setup.contract().mode) {
            Some(Mode::Recorded) => {}
            Some(Mode::ReadOnly) => bail!(
                "the source {name:?} names the step {step:?}, which is read-only: nothing of its runs is kept, so that a repeat would run again; name another step"
            ),
            None => bail!(
                "the source {name:?} names the step {step:?}, and the configured steps are: {}; correct `step`, or add a [[step]] with its plugin",
                steps.keys().cloned().collect::<Vec<_>>().join(", ")
            ),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::sources;
    use crate::cli::config::Config;
    use crate::inbound::headers::Headers;
    use crate::inbound::source::{Arrival, Proof, SourceError};

    /// GitHub's own example of a secret, as an editor saves it.
    const SECRET: &str = "It's a Secret to Everybody\n";

    fn config(dir: &std::path::Path, source: &str) -> Config {
        let path = dir.join("onceward.toml");
        std::fs::write(&path, format!("flow = [\"a\"]\n{source}")).unwrap();
        std::fs::write(dir.join("hook.secret"), SECRET).unwrap();
        Config::load(&path).unwrap()
    }

    #[test]
    fn a_configured_source_reads_what_its_secret_has_signed() {
        let dir = tempfile::tempdir().unwrap();
        let hook = "[source.hook]\nkind = \"github\"\nsecrets = [{ file = \"hook.secret\" }]\nid = { header = \"X-Id\" }\n";
        let form =
            "[source.form]\nkind = \"json\"\nstep = \"b\"\n[source.open]\nkind = \"json\"\nopen = true\n";
        let sources = sources(&config(dir.path(), &format!("{hook}{form}"))).unwrap();
        assert!(
            matches!(sources["form"].proof, Proof::Token) && matches!(sources["open"].proof, Proof::Open)
        );
        assert_eq!(sources["form"].step.as_deref(), Some("b"));

        // Computed with Python's hmac under the secret without its line break.
        let signature = b"sha256=50b0123e6e44430d2c43ecca0ee520d961ffd326425c07859f70a57161c3ebcd";
        let headers = Headers::new([("x-hub-signature-256", signature.as_slice()), ("x-id", b"d-1")]);
        let Arrival::Event(event) = sources["hook"].read(&headers, b"{}", 0).unwrap() else {
            panic!("an event")
        };
        assert_eq!((event.source.as_str(), event.id.as_deref()), ("hook", Some("d-1")));
        let forged = sources["hook"].read(&headers, b"{ }", 0).unwrap_err();
        assert!(matches!(forged, SourceError::Unproved { .. }), "{forged:?}");
    }

    #[test]
    fn a_secret_that_is_not_there_or_none_is_refused_with_its_place_and_not_shown() {
        let dir = tempfile::tempdir().unwrap();
        let refused = |kind: &str, secrets: &str| {
            let source = format!("[source.hook]\nkind = {kind:?}\nsecrets = [{secrets}]\n");
            format!("{:#}", sources(&config(dir.path(), &source)).unwrap_err())
        };
        let good = "{ file = \"hook.secret\" }";
        for (kind, secrets, says) in [
            ("slack", format!("{good}, {{ file = \"absent\" }}"), "`secrets[1].file`"),
            ("slack", "{ env = \"ONCEWARD_TEST_NO_SUCH_SECRET\" }".to_owned(), "`secrets[0].env`"),
            ("standard-webhooks", good.to_owned(), "base64"),
        ] {
            let said = refused(kind, &secrets);
            assert!(said.contains("\"hook\"") && said.contains(says), "{said}");
            assert!(!said.contains("Everybody"), "{said}");
        }
    }
}
