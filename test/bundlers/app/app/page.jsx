'use client'
// The package is imported where the server makes the page, too; the book is opened in the browser alone.
import { openDaybook } from 'daybook'
import { useEffect } from 'react'

export default function Page() {
  useEffect(() => void import('../main.js'), [])
  return <h1>{typeof openDaybook}</h1>
}
