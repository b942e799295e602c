//! The Node-API addon: conversions and handles, nothing else.
//!
//! Promises of this addon carry no values and no errors: they only say when to look. Every result and every error comes from a
//! synchronous call, which can throw an error with a code of its own and a cause.

#![allow(
    unreachable_pub,
    reason = "what is exported to JavaScript must be public, and nothing in Rust reaches it"
)]
#![allow(clippy::needless_pass_by_value, reason = "what comes from JavaScript comes by value")]

mod base;
mod batch;
mod convert;
mod errors;
mod fragments;
mod job;
mod length_groups;
mod mixing;
mod opening;
mod orders;
mod packing;
mod permutation;
mod pipeline;
mod plan;
mod remote;
mod runtime;
mod sample_order;
mod shared;
mod stored;
mod table;
mod wait;
mod windows;
