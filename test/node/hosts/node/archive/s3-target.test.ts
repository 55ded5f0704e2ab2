// Where archives go and with whose credentials, as a target and the environment say.
import { describe, expect, it } from 'vitest'
import { defined } from '../../../../../src/core/defined.ts'
import { nodeArchives } from '../../../../../src/hosts/node/archive/node-archives.ts'
import {
  readS3Address,
  type S3Environment,
  s3Place,
} from '../../../../../src/hosts/node/archive/s3-target.ts'
import { isDaybookError } from '../../../../../src/core/errors.ts'

const env: S3Environment = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'se/cr+et' }
const fault = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    if (isDaybookError(error)) return error
    throw error
  }
  throw new Error('expected an error')
}

describe('a target', () => {
  it.each([
    ['s3://bucket', 'bucket', ''],
    ['s3://bucket/', 'bucket', ''],
    ['s3://my.bucket-1/a/b', 'my.bucket-1', 'a/b'],
    ["s3://bucket/it's_(a)!path*/", 'bucket', "it's_(a)!path*"],
  ])('%s is read', (text, bucket, path) => expect(readS3Address(text)).toEqual({ bucket, path }))

  it.each([
    'bucket/path',
    's3://',
    's3://B',
    's3://a..b/c',
    's3://bucket/a b',
    's3://bucket/../other',
    's3://bucket/a/./b',
    's3://bucket//a',
    's3://bucket/é',
    's3://bucket/a%2fb',
    's3://bucket/a?x=y',
    'https://bucket/path',
    `s3://bucket/${'a'.repeat(701)}`,
  ])('%.40s is none', (text) => {
    const { code, details } = fault(() => readS3Address(text))
    expect([code, details['path']]).toEqual(['invalid-input', 'target'])
  })
})

describe('the environment', () => {
  it('says region, address and credentials, by the names of the tools of S3', () => {
    expect(s3Place('s3://bucket/a', env)).toEqual({
      bucket: 'bucket',
      prefix: 'a/',
      region: 'us-east-1',
      endpoint: 'https://s3.us-east-1.amazonaws.com',
      credentials: { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'se/cr+et' },
    })
    const more = {
      ...env,
      AWS_SESSION_TOKEN: 'token',
      AWS_DEFAULT_REGION: 'eu-west-1',
      AWS_ENDPOINT_URL: 'https://of-all.example/x/',
      AWS_ENDPOINT_URL_S3: 'http://of-s3.example:9000/',
    }
    expect(s3Place('s3://bucket', more)).toMatchObject({
      prefix: '',
      region: 'eu-west-1',
      endpoint: 'http://of-s3.example:9000',
      credentials: { sessionToken: 'token' },
    })
    expect(s3Place('s3://bucket', { ...more, AWS_REGION: 'auto', AWS_ENDPOINT_URL_S3: '' })).toMatchObject({
      region: 'auto',
      endpoint: 'https://of-all.example/x',
    })
    expect(s3Place('s3://bucket', { ...env, AWS_REGION: 'cn-north-1' }).endpoint).toBe(
      'https://s3.cn-north-1.amazonaws.com.cn',
    )
  })

  it.each([
    [{ AWS_ACCESS_KEY_ID: '' }, 'archive-off', 'AWS_ACCESS_KEY_ID'],
    [{ AWS_SECRET_ACCESS_KEY: undefined }, 'archive-off', 'AWS_SECRET_ACCESS_KEY'],
    [{ AWS_REGION: 'a b' }, 'invalid-input', 'AWS_REGION'],
    [{ AWS_ACCESS_KEY_ID: 'a\nb-hidden' }, 'invalid-input', 'AWS_ACCESS_KEY_ID'],
    [{ AWS_ENDPOINT_URL: 'ftp://hidden' }, 'invalid-input', 'AWS_ENDPOINT_URL'],
    [{ AWS_ENDPOINT_URL: 'https://user:hidden@host' }, 'invalid-input', 'AWS_ENDPOINT_URL'],
    [{ AWS_ENDPOINT_URL_S3: 'https://host/?key=hidden' }, 'invalid-input', 'AWS_ENDPOINT_URL_S3'],
  ])('that says %o is refused, without what it says', (more, code, path) => {
    const error = fault(() => s3Place('s3://bucket', { ...env, ...more }))
    expect([error.code, error.details['path']]).toEqual([code, path])
    expect(JSON.stringify([error, error.message])).not.toMatch(/hidden|se\/cr/)
  })

  it('names the usual place, which a call overrides; without one there is none', () => {
    const open = (target?: string, asked?: string, more: S3Environment = {}) =>
      nodeArchives(defined({ target }), undefined, { ...env, ...more }).open(asked).name
    expect(open('s3://mine/a')).toBe('s3://mine/a')
    expect(open('s3://mine/a', 's3://other')).toBe('s3://other')
    expect(open(undefined, undefined, { DAYBOOK_ARCHIVE: 's3://usual/b/' })).toBe('s3://usual/b')
    const { code, details } = fault(() => open())
    expect([code, details['path']]).toEqual(['archive-off', 'target'])
  })
})
