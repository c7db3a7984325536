//! Tokens: kept, looked up by their hash, revoked.

use crate::store::Tokens;
use crate::store::error::StoreError;
use crate::store::operate::Actor;
use crate::store::sqlite::SqliteStore;
use crate::store::sqlite::operate::said;
use crate::store::sqlite::rows;
use crate::store::sqlite::tx::{Tx, all, first};
use crate::store::token::{NewToken, TokenCreated, TokenRecord, Verb, VerbSet};
use async_trait::async_trait;
use rusqlite::Row;
use std::sync::Arc;

const LOOKING: &str = "looking for a token";

#[async_trait]
impl Tokens for SqliteStore {
    async fn token_create(&self, token: NewToken, actor: Actor) -> Result<TokenCreated, StoreError> {
        let namespace = token.namespace.clone();
        let known = Arc::clone(&self.tokens);
        self.act("keeping a token", &namespace, actor, token, move |tx, token, actor| {
            known.change(tx.durable.clone());
            create(tx, token, actor)
        })
        .await
    }

    async fn token_find(&self, hash: [u8; 32]) -> Result<Option<TokenRecord>, StoreError> {
        let asked_under = match self.tokens.find(&hash) {
            Ok(token) => return Ok(Some(token)),
            Err(asked_under) => asked_under,
        };
        let find = include_str!("queries/token_find.sql");
        let found = self.readers.read(move |c| first(c, LOOKING, find, [&hash[..]], read)).await?;
        if let Some(token) = &found {
            self.tokens.keep(hash, token, asked_under);
        }
        Ok(found)
    }

    async fn token_list(&self, namespace: &str) -> Result<Vec<TokenRecord>, StoreError> {
        let key = [namespace.to_owned()];
        self.readers
            .read(move |c| all(c, "listing tokens", include_str!("queries/token_list.sql"), key, read))
            .await
    }

    async fn token_revoke(&self, namespace: &str, id: &str, actor: Actor) -> Result<bool, StoreError> {
        let what = (namespace.to_owned(), id.to_owned());
        let known = Arc::clone(&self.tokens);
        self.act("revoking a token", namespace, actor, what, move |tx, (namespace, id), actor| {
            known.change(tx.durable.clone());
            let values = (namespace, id, said(actor), tx.now_ms);
            Ok(tx.execute(include_str!("queries/token_revoke.sql"), values)? == 1)
        })
        .await
    }

    async fn token_any(&self) -> Result<bool, StoreError> {
        self.finds(LOOKING, include_str!("queries/token_any.sql"), []).await
    }
}

fn create(tx: &Tx<'_>, token: &NewToken, actor: &Actor) -> Result<TokenCreated, StoreError> {
    let person = token.person.as_deref().filter(|person| !person.trim().is_empty());
    if token.verbs.is_empty() {
        return Ok(TokenCreated::NeedsVerb);
    }
    if token.verbs.contains(Verb::Approve) && person.is_none() {
        return Ok(TokenCreated::NeedsPerson);
    }
    let values = (
        &token.namespace,
        &token.id,
        &token.name,
        person,
        token.verbs.words(),
        &token.hash[..],
        said(actor),
        tx.now_ms,
    );
    let kept = tx.execute(include_str!("queries/token_insert.sql"), values)? == 1;
    Ok(if kept { TokenCreated::Applied } else { TokenCreated::Taken })
}

fn read(row: &Row<'_>) -> rusqlite::Result<TokenRecord> {
    Ok(TokenRecord {
        id: row.get("token_id")?,
        namespace: row.get("namespace")?,
        name: row.get("name")?,
        person: row.get("person")?,
        verbs: rows::word(row, "verbs", VerbSet::from_words)?,
        created_by: row.get("created_by")?,
        created_ms: row.get("created_ms")?,
        revoked_by: row.get("revoked_by")?,
        revoked_ms: row.get("revoked_ms")?,
    })
}
