// The name of a book in an address: 1 to 64 letters, digits, `.`, `_` and `-`, not beginning with a dot.
import { validator } from 'hono/validator'
import { checkBookName } from '../src/core/book.ts'

export const bookParam = validator('param', (value) => ({ book: checkBookName(value['book']) }))
