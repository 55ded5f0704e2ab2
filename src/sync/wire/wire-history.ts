// History of the sync protocol and of the live connection. Tests compare the hash of each JSON Schema with the last
// entry. For a change of shape, add an entry here and a recorded frame of the old form. Never change an
// entry.

export interface WireHistoryEntry {
  /** Protocol version. A change that an older side can't read needs a new version. */
  readonly p: number
  readonly change: string
  /** SHA-256 of the JSON Schema of request, response and error. */
  readonly hash: string
}

export const wireHistory: readonly WireHistoryEntry[] = [
  {
    p: 1,
    change: 'The first version: ops with whole records, results, changes, cursor.',
    hash: '3e70d6329f008183bdf8132bd9f19a85c8d6a0dcafb5446da05cb06cf73f0659',
  },
  {
    p: 1,
    change:
      'Optional: a mark for reading everything anew, a question where two copies differ, its answer by ranges.',
    hash: '25804a878703e8624a35db0780d40157de5098333e4c7f9e3c002eb7fb0a2dbc',
  },
  {
    p: 1,
    change: 'Optional: an op may say who is to win its conflict.',
    hash: '78b32e04bee5c700998320603d3abe078847e8cefe94246051371fbf706d3a58',
  },
  {
    p: 1,
    change:
      'Optional: how sensitive a record is; a sealed body in place of one in clear; a mark for what was sealed anew.',
    hash: 'b365e44ec5f79eb97f55a14c049766ed7f541a3dfb0fd3952792487b0755dc3e',
  },
  {
    p: 1,
    change:
      'Optional: an op may say which version of its kind its body was checked by, and that forgetting is to win.',
    hash: '61e003983c88f24702a816a25ebc611c6c0519d924d60c680f12df153d89de7a',
  },
  {
    p: 1,
    change:
      'Up to 1,000 ops. Optional: what the mirror takes in one request; a mark at the place of the cursor, and the last one.',
    hash: '83377a870bd9e1625199ba926da0e8d402178e446b6997ca1f77b799dc6360dc',
  },
  {
    p: 1,
    change: 'Optional: with an answer that is given again, the version that its op met.',
    hash: '6c83ce6c999a0b5010d912610ee8c8c488116f2f2d5e4fa4abaaacf2f5808d22',
  },
  {
    p: 1,
    change:
      'Optional: a forget may be a purge, and a put stand on one that was not sent; what was forgotten or purged in which version. No longer looked at: that forgetting is to win.',
    hash: '43ccc7b2b29f03f52f5c0c9b5482879dfbeba834f4ad3f169db4022a69873ee7',
  },
  {
    p: 1,
    change: 'Optional: what of its record a sealed body is bound to as well.',
    hash: 'f85a44f7ef17e31ef28cc9b5d6303ff8283d30c8143ab5aac32a09e23d105d0c',
  },
  {
    p: 1,
    change: 'Optional: the last epoch that a device knew which is starting over.',
    hash: '0e13d6ab4912f516c851c7109417e70cf4a0ead5808c3f9d43147c708d909e16',
  },
  {
    p: 1,
    change: 'Optional: an op goes in place of the bytes that were sent under its number and withdrawn.',
    hash: '12f6ab58056e3448255e43852aafe1cd4119aab16dd7b2b730e79eb37dc87cce',
  },
  {
    p: 1,
    change:
      'Optional: an answer says that an op took effect which goes in place of withdrawn bytes, and those never did.',
    hash: '6f7f395bc9bc0f6c12dec1e0a98669e6374f9134e9a92c2827180cbf9b8c2037',
  },
  {
    p: 1,
    change: 'Optional: a forget, and a tombstone, say that the record was sealed before.',
    hash: '0d4888f78882580a4be4edef37d573e059e8b7762523957a54636c34d4e3c745',
  },
  {
    p: 1,
    change:
      'Optional: the answer to an op says in which version its record was purged that the op did not know of.',
    hash: 'e44581293f1ef2cfdb39b35bc00e33c1f519ea21988597ff3d8b96185f3ca16f',
  },
  {
    p: 1,
    change: 'Optional: an answer to a guest names the kinds that its digest covers.',
    hash: '251650f093d63e9a5787a4ec4e73d2e482a7e1d57372e27ffa6d0d9738b11556',
  },
  {
    p: 1,
    change: 'Optional: a mirror states how large one op may be.',
    hash: '8d2ee90d171f28f9b3a1bbcd51acfcf2e76bbdacc734e7db0f5550725c77dbc2',
  },
  {
    p: 1,
    change: 'Optional: a put says how far the text of its record may be believed.',
    hash: '6fd4e0af4065ef273bfa84193bc847af9f2c58fea30e7900d4b972892aee0f32',
  },
]

export interface LiveHistoryEntry {
  /** The newest version of the live connection. */
  readonly version: 1 | 2
  readonly change: string
  /** SHA-256 of the JSON Schema of tickets, of frames in both directions, and of pool messages. */
  readonly hash: string
}

export const liveHistory: readonly LiveHistoryEntry[] = [
  {
    version: 2,
    change:
      'Tickets for purposes; pokes both ways, talk of the meeting room and of a pool: here, bye, envelopes and what was had.',
    hash: '7614ce10e343e2091c50caac2bf400626255cc4ef814fa3f62edb5975187746b',
  },
]
