// The rooms of records that there are. A new kind comes into the inspector by one declaration here and one face.
import { categoryRoom } from './category-room.ts'
import { episodeRoom } from './episode-room.ts'
import { factRoom } from './fact-room.ts'
import { messageRoom } from './message-room.ts'
import { perceptionRoom } from './perception-room.ts'
import { profileRoom } from './profile-room.ts'
import type { RecordRoom } from './room.ts'
import { schemaRoom } from './schema-room.ts'
import { skillRoom } from './skill-room.ts'
import { tokenRoom } from './token-room.ts'
import { tokenTypeRoom } from './token-type-room.ts'
import { traceRoom } from './trace-room.ts'

const rooms: readonly RecordRoom[] = [
  traceRoom,
  categoryRoom,
  factRoom,
  schemaRoom,
  perceptionRoom,
  skillRoom,
  messageRoom,
  episodeRoom,
  profileRoom,
  tokenRoom,
  tokenTypeRoom,
]

export function roomOfView(view: string): RecordRoom | undefined {
  return rooms.find((room) => room.view === view)
}

export function roomOfKind(kind: string): RecordRoom | undefined {
  return rooms.find((room) => room.kind === kind)
}
