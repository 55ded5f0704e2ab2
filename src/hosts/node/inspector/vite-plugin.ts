// `daybook/vite`: serves the inspector on an app's origin, for the app's books, during development with Vite.
// Invariant: production builds contain the inspector only with `build: true`.
import {
  checkInspectorPath,
  inspectorFiles,
  inspectorPath,
  checkFrameAncestors,
  inspectorBody,
} from './inspector-files.ts'
import { type InspectorOptions, inspectorMiddleware, type Middleware } from './inspector-middleware.ts'

export interface VitePluginOptions extends InspectorOptions {
  /** True: builds contain the inspector too, and every user of the app can open it. Default false. */
  readonly build?: boolean
}

/** The part of Vite's server that the plugin uses. */
interface ViteServer {
  readonly middlewares: { use(middleware: Middleware): unknown }
  readonly resolvedUrls?: { readonly local: readonly string[] } | null
  readonly config: { readonly logger: { info(message: string): void } }
  printUrls?(): void
}

/** A plugin for Vite 5 and later. It has its own types, because the package doesn't depend on Vite. */
export interface DaybookVitePlugin {
  readonly name: string
  configureServer(server: ViteServer): void
  configurePreviewServer(server: ViteServer): void
  generateBundle(this: {
    emitFile(file: { type: 'asset'; fileName: string; source: Uint8Array }): unknown
  }): void
}

/**
 * Serves the inspector at `path` of the dev server, and prints its URL. Throws a `TypeError` for wrong
 * options.
 */
export function daybookInspector({
  path = inspectorPath,
  build = false,
  frameAncestors = [],
}: VitePluginOptions = {}): DaybookVitePlugin {
  const at = checkInspectorPath(path)
  const ancestors = checkFrameAncestors(frameAncestors)
  const serve = (server: ViteServer) => {
    server.middlewares.use(inspectorMiddleware({ path: at, frameAncestors: ancestors }))
    const print = server.printUrls?.bind(server)
    if (!print) return
    server.printUrls = () => {
      print()
      const [origin] = server.resolvedUrls?.local ?? []
      if (origin !== undefined) server.config.logger.info(`  ➜  Daybook: ${new URL(at, origin).href}`)
    }
  }
  return {
    name: 'daybook:inspector',
    configureServer: serve,
    configurePreviewServer: (server) => {
      if (build) serve(server)
    },
    generateBundle() {
      if (!build) return
      for (const file of inspectorFiles().values()) {
        const source = inspectorBody(file, ancestors)
        this.emitFile({ type: 'asset', fileName: `${at.slice(1)}${file.name}`, source })
      }
    },
  }
}
