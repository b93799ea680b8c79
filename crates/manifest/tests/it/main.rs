//! The integration tests of `repertoire-manifest`.

mod corpus;
mod fix;
mod hostile;
mod reading;
mod reference;
