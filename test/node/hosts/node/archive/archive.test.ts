// Archives of books in Node: by the environment of the process, in buckets where signatures are checked.
import { afterAll, vi } from 'vitest'
import type { Daybook } from '../../../../../src/book/daybook.ts'
import { neverAborted } from '../../../../../src/core/abort.ts'
import { isDaybookError } from '../../../../../src/core/errors.ts'
import { openDaybook } from '../../../../../src/hosts/node/book/open-daybook.ts'
import { nodeArchives } from '../../../../../src/hosts/node/archive/node-archives.ts'
import { archiveContract } from '../../../../contract/archive/book-archive.ts'
import { startLocalS3 } from '../../../../support/server/local-s3.ts'

const s3 = await startLocalS3(1)
for (const [name, value] of Object.entries(s3.env)) vi.stubEnv(name, value)
const books: Daybook[] = []
afterAll(async () => {
  vi.unstubAllEnvs()
  for (const book of books) await book.close()
  await s3.dispose()
})

const bucket = s3.bucket()
const target = `s3://${bucket}/kept`
const store = nodeArchives({ target: `s3://${bucket}` }, undefined).open()

archiveContract('Node, in S3', {
  async open(name) {
    const book = await openDaybook({ name, path: ':memory:', archive: { target } })
    books.push(book)
    return book
  },
  async read(key) {
    try {
      let all = ''
      for await (const text of (await store.read(key, neverAborted)).texts) all += text
      return all
    } catch (error) {
      if (isDaybookError(error, 'not-found')) return undefined
      throw error
    }
  },
  async write(key, text) {
    async function* texts() {
      yield text
    }
    await store.put(key, texts(), neverAborted)
  },
})
