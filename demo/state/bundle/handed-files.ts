// Files that the system hands to the installed app: opened with it, or shared with it. They come in as dropped ones do.
import { shareCache } from '../../offline/page-cache.ts'
import { importFiles } from './import.ts'

interface LaunchQueue {
  setConsumer(take: (launch: { readonly files?: readonly FileSystemFileHandle[] }) => void): void
}

/** From now on what is handed to the app is imported. Called once. */
export function takeHandedFiles(): void {
  const { launchQueue } = globalThis as { launchQueue?: LaunchQueue }
  launchQueue?.setConsumer(({ files = [] }) => {
    if (files.length > 0) void Promise.all(files.map((handle) => handle.getFile())).then(importFiles)
  })
  const address = new URL(location.href)
  if (!address.searchParams.has('shared')) return
  address.searchParams.delete('shared')
  history.replaceState(null, '', address)
  void takeShared()
}

/** Takes up what the service worker has laid down. */
async function takeShared(): Promise<void> {
  const cache = await caches.open(shareCache)
  const files = await Promise.all(
    (await cache.keys()).map(async (request) => {
      const answer = await cache.match(request)
      await cache.delete(request)
      const name = decodeURIComponent(answer?.headers.get('x-name') ?? 'shared.md')
      return answer && new File([await answer.blob()], name)
    }),
  )
  importFiles(files.filter((file) => file !== undefined))
}
