// The id of the marks of a record: it follows from the record's own, so that there is one of them, wherever they are made.
import { nameId } from '../text/name-id.ts'

export const markId = (record: string): string => nameId('mark', record)
