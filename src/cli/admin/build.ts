/**
 * Makes commands from descriptions: options and arguments from the fields of a schema, the answer from a use case. Schemas say
 * what type an option has and whether it must be given. Use cases say what is wrong with a value, in words.
 */
import { Argument, type Command, Option } from 'commander'
import { z } from 'zod'
import type { AdminClient } from '../../admin/client'
import { at } from '../../admin/contract/base'
import { administer, type InstallationOptions, serverOptions } from '../administration'
import {
  collect,
  command,
  confirm,
  instant,
  onData,
  onDataCommand,
  onDataOrNew,
  oneOrMore,
  wholeNumber,
  yesOption,
} from '../command'
import { adminOf, type Opened } from '../open'
import type { Output } from '../output'

/** Dependencies of use cases, and the settings. */
export type Admin = Opened & ReturnType<typeof adminOf> & { numbering: Opened['config']['numbering'] }

interface CommandFields<Input extends z.ZodObject> {
  input: Input
  /**
   * The description of each field whose schema has none. Flags may stand before it, and two spaces
   * between; without them they follow from the name and the type. These fields come first in the help.
   */
  help?: Partial<Record<keyof z.infer<Input>, string>>
  /** Fields that exclude each other. */
  conflicts?: Partial<Record<keyof z.infer<Input>, string[]>>
}

/** `Subject`: what a command works with. */
interface Description<Subject, Input extends z.ZodObject, Answer extends object> extends CommandFields<Input> {
  summary: string
  /** Positional arguments of the command. */
  examples: readonly string[]
  /** Creates the database if there is none. */
  createsDatabase?: boolean
  /** The question to confirm. Undefined if nothing would be lost. */
  confirmation?: (subject: Subject, input: z.infer<Input>) => string | undefined | Promise<string | undefined>
  run: (subject: Subject, input: z.infer<Input>) => Answer | Promise<Answer>
  /** The object for `--json`, if it differs from the answer. */
  json?: (answer: Answer, input: z.infer<Input>) => object
  lines: (answer: Answer, input: z.infer<Input>, subject: Subject) => string[]
}

/** `words` is the full path of the command; its name is the last word. */
type CommandFactory = (name: string, words: string) => Command

/** A command with subcommands by name. Handwritten subcommands ignore the words. */
export function group(name: string, summary: string, example: string, subcommands: Record<string, CommandFactory>) {
  const parent = command(name, summary, `${name} ${example}`)
  for (const [child, create] of Object.entries(subcommands)) parent.addCommand(create(child, `${name} ${child}`))
  return parent
}

/** The input schema of a console procedure. */
export const inputOf = <Input extends z.ZodObject>(procedure: {
  '~orpc': { inputSchema?: Input | undefined }
}): Input => procedure['~orpc'].inputSchema as Input

/** Options that many commands share. */
export const ofApp = '--app <id>  app'
export const NO_INPUT = { examples: [''], input: z.object({}) }
export const APP_OPTION = z.object({ appId: z.string().describe(ofApp) })
export const APP_ARGUMENT = z.object({ appId: z.string().describe('<appId>  app') })

/** A field with a parser of its own. */
export const parsedBy = <Value>(parse: (text: string) => Value) => z.custom<Value>().meta({ parse })
export const positiveInteger = parsedBy(oneOrMore)

export const flag = (help: string) => z.boolean().optional().describe(help)
export const number = (help: string) => z.int().optional().describe(help)
export const texts = (help: string) => z.array(z.string()).optional().describe(help)
export const text = (help: string) => z.string().optional().describe(help)
/** Without a value these options are `true`, which removes the setting. */
export const textOrNone = (help: string) =>
  z
    .union([z.string(), z.literal(true)])
    .optional()
    .describe(help)
export const textsOrNone = (help: string) =>
  z
    .union([z.array(z.string()), z.literal(true)])
    .optional()
    .describe(help)

/** A command that works on the database alone. */
export const adminCommand = <Input extends z.ZodObject, Answer extends object>(
  description: Description<Admin, Input, Answer>,
): CommandFactory =>
  made(description, (options, work) =>
    (description.createsDatabase ? onDataOrNew : onData)(options, (opened, output) =>
      work({ ...opened, ...adminOf(opened), numbering: opened.config.numbering }, output),
    ),
  )

/** A command that works by the procedures of administration: on the database, or with `--server` on a server far away. */
export const clientCommand = <Input extends z.ZodObject, Answer extends object>(
  description: Description<AdminClient, Input, Answer>,
): CommandFactory => {
  const create = made(description, (options, work) => administer(options, description.createsDatabase ?? false, work))
  return (name, words) => serverOptions(create(name, words))
}

function made<Subject, Input extends z.ZodObject, Answer extends object>(
  description: Description<Subject, Input, Answer>,
  on: (options: InstallationOptions, work: (subject: Subject, output: Output) => Promise<void>) => Promise<void>,
): CommandFactory {
  const { summary, examples, confirmation, run, json, lines } = description
  return (name, words) => {
    const created = onDataCommand(name, summary, ...examples.map((example) => `${words} ${example}`.trimEnd()))
    const fields = fieldsOf(description)
    if (confirmation && !fields.some((field) => field.name === 'yes')) created.addOption(yesOption())
    for (const { declaration } of fields)
      if (declaration instanceof Option) created.addOption(declaration)
      else created.addArgument(declaration)
    return created.action(async (...given: unknown[]) => {
      const options = created.opts()
      const givenFor = (declaration: Option | Argument) =>
        declaration instanceof Option
          ? options[declaration.attributeName()]
          : given[created.registeredArguments.indexOf(declaration)]
      const values = fields.map((field) => [field.name, givenFor(field.declaration) ?? field.defaultValue])
      const input = Object.fromEntries(values.filter(([, value]) => value !== undefined)) as z.infer<Input>
      await on(options, async (subject, output) => {
        const question = await confirmation?.(subject, input)
        if (question !== undefined) await confirm(options, question)
        const answer = await run(subject, input)
        output(json?.(answer, input) ?? answer, lines(answer, input, subject))
      })
    })
  }
}

interface CommandField {
  name: string
  declaration: Option | Argument
  defaultValue: unknown
}

const fieldsOf = <Input extends z.ZodObject>({ input, help = {}, conflicts }: CommandFields<Input>): CommandField[] =>
  [...new Set([...Object.keys(help), ...Object.keys(input.shape)])].map((name) => {
    const schema: z.ZodType = input.shape[name]
    const text = help[name as keyof z.infer<Input>] ?? schema.description ?? ''
    const { type, defaultValue } = unwrapped(schema)
    const declaration = declare(name, type, text, !schema.isOptional())
    if (declaration instanceof Option) declaration.conflicts(conflicts?.[name as keyof z.infer<Input>] ?? [])
    // The help omits the default of an empty list.
    if (defaultValue !== undefined && !Array.isArray(defaultValue)) declaration.default(defaultValue)
    return { name, declaration, defaultValue }
  })

function declare(name: string, type: z.ZodType, help: string, isRequired: boolean): Option | Argument {
  const [, flags = flagsOf(name, type), text] = /^(?:([-<[].*?) {2})?(.*)$/s.exec(help) ?? []
  const declaration = flags.startsWith('-')
    ? new Option(flags, text).makeOptionMandatory(isRequired)
    : new Argument(flags, text)
  const element = type instanceof z.ZodArray ? type.element : type
  if (element instanceof z.ZodEnum) declaration.choices(element.options.map(String))
  else if (element instanceof z.ZodLiteral) declaration.choices([...element.values].map(String))
  else if (type instanceof z.ZodArray && !flags.includes('...')) declaration.argParser(collect)
  else if (type === at) declaration.argParser(instant)
  else if (type instanceof z.ZodCustom) declaration.argParser(type.meta()?.parse as typeof oneOrMore)
  else if (type instanceof z.ZodNumber) declaration.argParser(wholeNumber)
  return declaration
}

/** Unwraps `optional` and `default`. */
function unwrapped(schema: z.ZodType): { type: z.ZodType; defaultValue?: unknown } {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNonOptional)
    return unwrapped(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodDefault)
    return { ...unwrapped(schema.unwrap() as z.ZodType), defaultValue: schema.def.defaultValue }
  return { type: schema }
}

function flagsOf(name: string, type: z.ZodType): string {
  const long = `--${name.replace(/[A-Z]/g, (rendered) => `-${rendered.toLowerCase()}`)}`
  if (type instanceof z.ZodBoolean) return long
  if (type instanceof z.ZodNumber || type instanceof z.ZodCustom) return `${long} <${type === at ? 'date' : 'n'}>`
  return `${long} <${name}>`
}
