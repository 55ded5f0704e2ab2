// WebAssembly as the ports want it, from whatever the host calls its global object.
import type { Wasm, WasmExports } from '../core/ports.ts'

interface Api {
  validate(module: Uint8Array<ArrayBuffer>): boolean
  readonly Module: new (module: Uint8Array<ArrayBuffer>) => object
  readonly Instance: new (module: object) => { readonly exports: object }
}

/** The host's WebAssembly; nothing is instantiated where it lacks an instruction, or a policy forbids to compile. */
export function wasmOf(host: object): Wasm {
  const { WebAssembly: api } = host as { readonly WebAssembly?: Api }
  return {
    instantiate(module) {
      try {
        if (!api?.validate(module)) return undefined
        return new api.Instance(new api.Module(module)).exports as WasmExports
      } catch {
        return undefined
      }
    },
  }
}
