//! The binary, driven as people drive it.

mod access;
mod backup;
mod help;
mod import;
mod offline;
mod serving;
mod tour;
mod world;
