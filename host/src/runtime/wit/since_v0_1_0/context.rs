//! `context`: time, numbers and ids that repeat exactly on a retry.

use crate::identity::key::digest;
use crate::runtime::state::RunState;
use crate::runtime::wit::since_v0_1_0::bindings::onceward::step::context::Host;

const SEED_LABEL: &str = "onceward/seed";
const DERIVED_ID_LABEL: &str = "onceward/derived-id";

impl Host for RunState {
    async fn occurred_at(&mut self) -> wasmtime::Result<i64> {
        self.begin_call("context.occurred-at").await?;
        Ok(self.job.work.occurred_at_ms)
    }

    async fn seed(&mut self, label: String) -> wasmtime::Result<u64> {
        self.begin_call("context.seed").await?;
        let bytes = digest(SEED_LABEL, &[self.job.work.work_id.as_bytes(), label.as_bytes()]);
        let (first, _) = bytes.split_first_chunk::<8>().expect("a digest has 32 bytes");
        Ok(u64::from_be_bytes(*first))
    }

    async fn derive_id(&mut self, label: String) -> wasmtime::Result<String> {
        self.begin_call("context.derive-id").await?;
        let bytes = digest(DERIVED_ID_LABEL, &[self.job.work.work_id.as_bytes(), label.as_bytes()]);
        let (first, _) = bytes.split_first_chunk::<16>().expect("a digest has 32 bytes");
        Ok(uuid(*first))
    }
}

/// A UUID of version 8 (RFC 9562, section 5.8) with these bits.
fn uuid(mut bytes: [u8; 16]) -> String {
    bytes[6] = (bytes[6] & 0x0f) | 0x80;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_derived_id_is_a_uuid_of_version_8() {
        assert_eq!(super::uuid([0xff; 16]), "ffffffff-ffff-8fff-bfff-ffffffffffff");
    }
}
