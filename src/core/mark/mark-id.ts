// The id of the marks of a record: it follows from the record's own, so that there is one of them, wherever they are made.
import { nameId } from '../text/name-id.ts'

/** The name of the kind of marks. */
export const markName = 'mark'

export const markId = (record: string): string => nameId(markName, record)
