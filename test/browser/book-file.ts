// The files of a closed book, for tests that change them behind its back.
import type { BookFileRequest } from './book-file.worker.ts'

async function ask(request: BookFileRequest): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const worker = new Worker(new URL('./book-file.worker.ts', import.meta.url), { type: 'module' })
  try {
    const { port1, port2 } = new MessageChannel()
    const answered = new Promise<{ failure?: string; bytes?: Uint8Array<ArrayBuffer> }>((resolve, reject) => {
      port1.onmessage = ({ data }) => resolve(data as never)
      worker.onerror = ({ message }) => reject(new Error(message))
    })
    worker.postMessage(request, [port2])
    const { failure, bytes } = await answered
    if (failure !== undefined) throw new Error(failure)
    return bytes
  } finally {
    worker.terminate()
  }
}

export const alterBook = (name: string, statements: readonly string[]) =>
  ask({ type: 'alter', name, statements })
export const readBookFile = async (name: string) => (await ask({ type: 'read', name })) ?? new Uint8Array()
export const writeBookFile = (name: string, bytes: Uint8Array<ArrayBuffer>) =>
  ask({ type: 'write', name, bytes })
