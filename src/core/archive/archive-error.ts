// What can fail of archives: rows of the table of errors.

export const archiveErrors = {
  'archive-off': {
    status: 409,
    retry: false,
    meaning: 'This copy of the book has no place for archives.',
    recovery:
      'In Node set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY and name a target, s3://bucket/prefix; at the edge bind an R2 bucket as ARCHIVE. A page has none.',
  },
  'archive-denied': {
    status: 502,
    retry: false,
    meaning: 'The storage of archives does not take the credentials, or does not permit this.',
    recovery:
      'Check the credentials in the environment and what they may do in the bucket; details.reason is what the storage calls it.',
  },
  'archive-clock': {
    status: 502,
    retry: false,
    meaning: 'The clock of this machine and that of the storage of archives are too far apart.',
    recovery: 'Set the clock of this machine, and try again.',
  },
  'archive-region': {
    status: 502,
    retry: false,
    meaning: 'The bucket is in another region than was asked.',
    recovery: 'Set AWS_REGION to that of the bucket: details.region, where the storage tells it.',
  },
  'archive-bucket': {
    status: 502,
    retry: false,
    meaning: 'There is no such bucket.',
    recovery: 'Make it, or correct the target and the address of the storage.',
  },
  'archive-failed': {
    status: 502,
    retry: true,
    meaning: 'The storage of archives did not do what was asked.',
    recovery: 'Nothing half done is to be seen there; try again later.',
  },
} as const
