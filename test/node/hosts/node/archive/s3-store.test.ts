// Archives in S3, where signatures are checked: the S3 endpoint of workerd's local R2.
import { afterAll } from 'vitest'
import { s3Ports } from '../../../../../src/hosts/node/archive/node-archives.ts'
import { S3Store } from '../../../../../src/hosts/node/archive/s3-store.ts'
import { s3Place } from '../../../../../src/hosts/node/archive/s3-target.ts'
import { createS3Client } from '../../../../../src/hosts/node/archive/s3-client.ts'
import { neverAborted } from '../../../../../src/core/abort.ts'
import { isDaybookError } from '../../../../../src/core/errors.ts'
import { archiveStoreContract } from '../../../../contract/archive/archive-store.ts'
import { startLocalS3 } from '../../../../support/server/local-s3.ts'

const s3 = await startLocalS3()
afterAll(() => s3.dispose())

const bucket = s3.bucket()
const placeOf = (prefix: string) => s3Place(`s3://${bucket}/${prefix}`, s3.env)

archiveStoreContract('S3', {
  open: (prefix, notes) => new S3Store({ place: placeOf(prefix), ports: s3Ports, notes, pageKeys: 2 }),
  async isUnderWay({ key, upload }) {
    const query = { partNumber: '9', uploadId: upload }
    try {
      await createS3Client(placeOf(''), s3Ports).text(
        { method: 'PUT', key, query, body: new Uint8Array([1]) },
        neverAborted,
      )
      return true
    } catch (error) {
      if (isDaybookError(error) && error.details['reason'] === 'NoSuchUpload') return false
      throw error
    }
  },
})
