//! Tells the linker what a Node-API addon needs.

fn main() {
    napi_build::setup();
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        // Symbols are a quarter of the file, and nobody debugs Lance through the addon.
        println!("cargo::rustc-link-arg-cdylib=-Wl,-s");
    }
}
