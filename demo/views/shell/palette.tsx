// The command palette: type, choose with the arrows, Enter. It is a combobox over a listbox.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import { KeyCap } from '../../parts/inline.tsx'
import { commandsFor, loadCommands } from '../../state/act/command.ts'
import type { Command } from '../../state/act/list-view.ts'
import { findBooks } from '../../state/books.ts'
import { closeDialog } from '../../state/dialog.ts'

const optionId = (index: number) => `command-${index}`

export function Palette() {
  const typed = useSignal('')
  const at = useSignal(0)
  const listed = useRef<HTMLUListElement>(null)
  const commands = commandsFor(typed.value)
  const here = Math.min(at.value, commands.length - 1)
  useEffect(() => {
    void findBooks()
    void loadCommands()
  }, [])
  useEffect(() => {
    listed.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [here])
  const run = (command: Command | undefined) => {
    if (!command) return
    closeDialog()
    // After the dialog gave focus back, so that the command may take it.
    setTimeout(command.run)
  }
  const onKey = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined) at.value = (here + step + commands.length) % Math.max(1, commands.length)
    else if (event.key === 'Enter') run(commands[here])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Commands" onClose={closeDialog} bare>
      <input
        class="palette-input"
        type="text"
        role="combobox"
        aria-label="Command"
        aria-expanded="true"
        aria-controls="command-list"
        aria-activedescendant={commands.length > 0 ? optionId(here) : undefined}
        aria-autocomplete="list"
        placeholder="Type a command, a search or a question"
        autocomplete="off"
        spellcheck={false}
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value
          at.value = 0
        }}
        onKeyDown={onKey}
      />
      <ul id="command-list" ref={listed} class="palette-list" role="listbox" aria-label="Commands">
        {commands.map((command, i) => (
          <li
            key={command.name}
            id={optionId(i)}
            role="option"
            aria-selected={i === here}
            class="palette-option"
            onClick={() => run(command)}
            onPointerMove={() => (at.value = i)}
          >
            <span>{command.name}</span>
            {command.key !== undefined && <KeyCap name={command.key} />}
          </li>
        ))}
        {commands.length === 0 && <li class="faint palette-none">No matching command</li>}
      </ul>
    </Dialog>
  )
}
