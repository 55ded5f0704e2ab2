// What stands before the script of a worker that shall lack something: the only way to have a browser without it.
import type { BrowserContext } from 'playwright'
import type { Plugin } from 'vite'

/**
 * No `getDirectory` as in private windows of Firefox; a file system without sync handles; or whose handles fail, all of them
 * or those of a book's own files. Or without today: its clock is a day behind.
 */
export type Lack = 'opfs' | 'handles' | 'files' | 'pool' | 'indexeddb' | 'today'

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

const onlyLacks = '&only'

/** What a page asks its worker to be without: `worker.js?without=opfs+indexeddb`. */
export function lacksOf(url: string): Lack[] {
  const lacks = (/\?without=([^&]*)/.exec(url)?.[1] ?? '').split('+')
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
        const { url = '' } = request
        const lacks = lacksOf(url)
        if (lacks.length === 0) return next()
        for (const [name, value = ''] of Object.entries(config.preview.headers))
          response.setHeader(name, value)
        response.setHeader('content-type', 'text/javascript')
        if (url.endsWith(onlyLacks)) return response.end(lacks.map((lack) => lacking[lack]).join(''))
        const { pathname } = new URL(url, 'http://localhost')
        // By its own address: chunks import the worker, and another address would start it a second time.
        response.end(`import ${JSON.stringify(url + onlyLacks)}\nimport ${JSON.stringify(pathname)}\n`)
      })
    },
  }
}
