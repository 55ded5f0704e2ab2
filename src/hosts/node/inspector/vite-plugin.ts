// `daybook/vite`: the inspector of an app's own books, on its own origin, while it is developed with Vite.
// Invariant: production builds don't contain it unless asked.
import {
  checkInspectorPath,
  inspectorFiles,
  inspectorPath,
  checkFrameAncestors,
  inspectorBody,
} from './inspector-files.ts'
import { type InspectorOptions, inspectorMiddleware, type Middleware } from './inspector-middleware.ts'

export interface VitePluginOptions extends InspectorOptions {
  /**
   * True adds the inspector to builds too, where everyone who can open the app can open it. Default false.
   */
  readonly build?: boolean
}

/** The part of Vite's server that is used. */
interface ViteServer {
  readonly middlewares: { use(middleware: Middleware): unknown }
  readonly resolvedUrls?: { readonly local: readonly string[] } | null
  readonly config: { readonly logger: { info(message: string): void } }
  printUrls?(): void
}

/** A plugin for Vite 5 and later, without its types: the package doesn't depend on Vite. */
export interface DaybookVitePlugin {
  readonly name: string
  configureServer(server: ViteServer): void
  configurePreviewServer(server: ViteServer): void
  generateBundle(this: {
    emitFile(file: { type: 'asset'; fileName: string; source: Uint8Array }): unknown
  }): void
}

/** Shows every book of the app's origin at `/__daybook/` of its dev server, and prints that URL. */
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
