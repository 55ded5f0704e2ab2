// Components of Svelte for tests, made by its own compiler.
import { compile, compileModule } from 'svelte/compiler'
import type { Plugin } from 'vite'

export function withSvelte(): Plugin {
  return {
    name: 'test:svelte',
    transform(code, id) {
      const [filename = id] = id.split('?')
      const options = { filename, generate: 'client', dev: false } as const
      if (filename.endsWith('.svelte')) return compile(code, options).js
      if (filename.endsWith('.svelte.ts')) return compileModule(code, options).js
      return undefined
    },
  }
}
