// The rooms of records that there are. A new kind comes into the inspector by one declaration here and one face.
import type { RecordRoom } from './room.ts'
import { traceRoom } from './trace-room.ts'

export const recordRooms: readonly RecordRoom[] = [traceRoom]

export function roomOfView(view: string): RecordRoom | undefined {
  return recordRooms.find((room) => room.view === view)
}

export function roomOfKind(kind: string): RecordRoom | undefined {
  return recordRooms.find((room) => room.kind === kind)
}
