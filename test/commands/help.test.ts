import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { createProgram } from '../../src/cli/program'

const program = await createProgram({ isJson: false })

/** Every command people see, by its words. */
function commandsOf(parent: Command, words: string[] = []): Array<{ path: string; command: Command }> {
  return parent
    .createHelp()
    .visibleCommands(parent)
    .filter((command) => command.name() !== 'help')
    .flatMap((command) => {
      const own = [...words, command.name()]
      return [{ path: own.join(' '), command }, ...commandsOf(command, own)]
    })
}

const commands = commandsOf(program)

/** As it is printed, with what is added to it. */
function helpOf(command: Command): string {
  let printed = ''
  const write = (text: string) => {
    printed += text
  }
  const before = command.configureOutput()
  command.configureOutput({ writeOut: write })
  command.outputHelp()
  command.configureOutput(before)
  return printed
}

test.each(commands.map(({ path, command }) => [path, command] as const))(
  '`%s --help` has an example of it',
  (path, command) => {
    expect(helpOf(command)).toContain(`\n  $ watchword ${path}`)
  },
)

test.each(commands.map(({ path, command }) => [path, command] as const))(
  '`%s --help` says which options are required',
  (_, command) => {
    const help = helpOf(command).replace(/\s+/g, ' ')
    for (const { flags, description, mandatory } of command.options) {
      expect([flags, help.includes(`${flags} ${description} (required`)]).toEqual([flags, mandatory])
    }
  },
)

test.each(commands.map(({ path, command }) => [path, command] as const))(
  '`%s --help` says what each option and argument is for',
  (_, { options, registeredArguments }) => {
    const unsaid = [...options, ...registeredArguments].filter(({ description }) => description === '')
    expect(unsaid.map((one) => ('flags' in one ? one.flags : one.name()))).toEqual([])
  },
)

test('the page of the command line has every command', () => {
  const page = readFileSync(join(import.meta.dir, '../../docs/command-line.md'), 'utf8')
  const leaves = commands.filter(({ command }) => command.commands.length === 0)
  expect(leaves.length).toBeGreaterThan(40)
  for (const { path } of leaves) expect([path, page.includes(`\`watchword ${path}`)]).toEqual([path, true])
})
