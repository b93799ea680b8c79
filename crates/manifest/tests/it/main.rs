//! The integration tests of `repertoire-manifest`.

mod corpus;
mod fix;
mod reference;
