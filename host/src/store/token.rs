//! T
#![allow(missing_docs)]
use crate::store::error::StoreError;
use async_trait::async_trait;
use crate::store::operate::Actor;
#[derive(Clone,Copy,Debug,PartialEq,Eq)] pub enum Verb{Invoke,Primitives,Operate,Approve,Admin}
impl Verb{ pub const fn word(self)->&'static str{"x"} }
#[derive(Clone,Debug)] pub struct VerbSet(u8);
impl VerbSet{ pub fn all()->Self{Self(31)} pub fn all_but_approve()->Self{Self(31)} pub fn contains(&self,v:Verb)->bool{ self.0 & (1<<(v as u8)) !=0 } }
pub struct NewToken{pub id:String,pub namespace:String,pub name:String,pub person:Option<String>,pub verbs:VerbSet,pub hash:[u8;32]}
pub struct TokenRecord{pub namespace:String,pub name:String,pub person:Option<String>,pub verbs:VerbSet,pub revoked_ms:Option<i64>}
#[async_trait] pub trait Tokens:Send+Sync{ async fn token_find(&self,_h:[u8;32])->Result<Option<TokenRecord>,StoreError>{Ok(None)} async fn token_any(&self)->Result<bool,StoreError>{Ok(true)} async fn token_create(&self,_t:NewToken,_a:Actor)->Result<(),StoreError>{Ok(())}}
impl Tokens for crate::store::sqlite::SqliteStore{}
