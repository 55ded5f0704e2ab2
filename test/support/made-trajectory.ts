// A small trajectory in the shape SWE-agent saves, made by the tests.

/** `steps` commands about fixing a parser, the last one submitting. */
export function makeTrajectory(steps = 3): string {
  const trajectory = Array.from({ length: steps }, (_, i) => ({
    action: i === steps - 1 ? 'submit' : `open src/parser_${i}.py`,
    observation:
      i === 1 ? 'Traceback (most recent call last)\nSyntaxError: invalid syntax' : `[File: parser_${i}.py]`,
    response: `Step ${i}`,
    thought: `I look at parser number ${i} to find the missing colon`,
    state: JSON.stringify({ open_file: `parser_${i}.py`, working_dir: '/repo' }),
    ...(i === 0 ? { execution_time: 2.5 } : {}),
  }))
  return JSON.stringify({
    environment: 'main',
    trajectory,
    history: [],
    info: { exit_status: 'submitted', submission: 'diff --git a b' },
  })
}

/** The same run, saved as a chat only. */
export function makeHistory(): string {
  return JSON.stringify({
    history: [
      { role: 'system', content: 'You are an agent.' },
      { role: 'user', content: 'A demonstration', is_demo: true },
      { role: 'assistant', content: 'demo answer', is_demo: true },
      { role: 'user', content: 'Fix the bug' },
      { role: 'assistant', content: 'Let us look', thought: 'Let us look around', action: 'ls -F' },
      { role: 'tool', content: [{ type: 'text', text: 'setup.py' }] },
      { role: 'assistant', content: 'That is all.' },
    ],
  })
}
