// The WebAssembly port.
import type { Wasm, WasmExports } from '../core/ports.ts'

interface Api {
  validate(module: Uint8Array<ArrayBuffer>): boolean
  readonly Module: new (module: Uint8Array<ArrayBuffer>) => object
  readonly Instance: new (module: object) => { readonly exports: object }
}

/**
 * Creates the port from the host's global object. `instantiate` returns undefined if the host lacks WebAssembly or an
 * instruction, or if a policy forbids compilation.
 */
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
