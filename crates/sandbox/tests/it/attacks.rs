//! The attacks, by what they are after.

mod beside;
mod counting;
mod descriptors;
mod devices;
mod disk;
mod file_names;
mod files;
mod javascript;
mod kernel;
mod memory;
mod mounts;
mod namespaces;
mod network;
mod poison;
mod privileges;
mod processes;
mod processor;
mod proxy;
mod results;
mod scripts;
mod search_path;
mod sessions;
mod signals;
mod strange_errors;
mod strange_results;
