// What stands before the script of a worker that shall lack something: the only way to have a browser without it.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { BrowserContext } from 'playwright'
import type { Plugin } from 'vite'

/**
 * No `getDirectory` as in private windows of Firefox; a file system without sync handles; or whose handles fail, all of them
 * or those of a book's own files. Or an IndexedDB that fails to open books. Or without today: its clock is a day behind.
 */
export type Lack = 'opfs' | 'handles' | 'files' | 'pool' | 'indexeddb' | 'journal' | 'today'

export const lacking: Readonly<Record<Lack, string>> = {
  opfs: `StorageManager.prototype.getDirectory = () =>
  Promise.reject(new DOMException('Security error when calling GetDirectory', 'SecurityError'));
`,
  handles: `delete FileSystemFileHandle.prototype.createSyncAccessHandle;
`,
  files: `FileSystemFileHandle.prototype.createSyncAccessHandle = () =>
  Promise.reject(new DOMException('Not here.', 'NotSupportedError'));
`,
  pool: `const { createSyncAccessHandle } = FileSystemFileHandle.prototype
FileSystemFileHandle.prototype.createSyncAccessHandle = function () {
  if (this.name.startsWith('.daybook-probe-')) return createSyncAccessHandle.call(this)
  return Promise.reject(new DOMException('Not this one.', 'NotReadableError'))
};
`,
  indexeddb: `IDBFactory.prototype.open = () => {
  throw new DOMException('Not here.', 'SecurityError');
};
`,
  journal: `const { open } = IDBFactory.prototype
IDBFactory.prototype.open = function (name, version) {
  if (!name.startsWith('daybook-book-')) return open.call(this, name, version)
  throw new DOMException('Internal error opening backing store.', 'UnknownError');
};
`,
  today: `globalThis.Date = class extends Date {
  constructor(...parts) {
    super(...(parts.length === 0 ? [Date.now()] : parts))
  }
  static now() {
    return super.now() - 86_400_000
  }
}
`,
}

/** The script of a book's worker in a built page; it loads the engine from `worker-engine-….js`. */
export const workerScript = /\/assets\/worker-(?!engine-)[^/]+\.js$/

/** What a page asks its worker to be without: `worker.js?without=opfs+indexeddb`. */
export function lacksOf(url: string): Lack[] {
  const lacks = (/\?without=(.*)$/.exec(url)?.[1] ?? '').split('+')
  return (Object.keys(lacking) as Lack[]).filter((lack) => lacks.includes(lack))
}

/** The workers of pages that are opened from now on ask to be without these. */
export async function takeFromWorkers(
  context: Pick<BrowserContext, 'addInitScript'>,
  lacks: readonly Lack[],
): Promise<void> {
  if (lacks.length === 0) return
  const asked = JSON.stringify(`?without=${lacks.join('+')}`)
  await context.addInitScript(`globalThis.Worker = class extends Worker {
    constructor(url, options) {
      super(url + ${asked}, options)
    }
  }`)
}

/** Serves workers of built pages as they ask. Whoever did that on the network's way would change what else goes there. */
export function withLackingWorkers(): Plugin {
  return {
    name: 'test:lacking-workers',
    configurePreviewServer({ config, middlewares }) {
      middlewares.use((request, response, next) => {
        const lacks = lacksOf(request.url ?? '')
        if (lacks.length === 0) return next()
        const { pathname } = new URL(request.url ?? '', 'http://localhost')
        const code = readFileSync(resolve(config.root, config.build.outDir, `.${pathname}`), 'utf8')
        for (const [name, value = ''] of Object.entries(config.preview.headers))
          response.setHeader(name, value)
        response.setHeader('content-type', 'text/javascript')
        response.end(lacks.map((lack) => lacking[lack]).join('') + code)
      })
    },
  }
}
