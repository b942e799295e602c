//! Tells the linker what a Node-API addon needs.

fn main() {
    napi_build::setup();
}
