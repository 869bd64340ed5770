/**
 * Makes commands from descriptions: options and arguments from the fields of a schema, the answer from a use case. Schemas say
 * what type an option has and whether it must be given. Use cases say what is wrong with a value, in words.
 */
import { Argument, type Command, Option } from 'commander'
import { z } from 'zod'
import { at } from '../../console/contract/base'
import { collect, command, instant, onData, onDataCommand, onDataOrNew, oneOrMore, wholeNumber } from '../command'
import { confirm, yesOption } from '../confirm'
import { adminOf, type Opened } from '../open'

/** What use cases need, and the settings. */
export type Admin = Opened & ReturnType<typeof adminOf> & { numbering: Opened['config']['numbering'] }

interface Fields<Input extends z.ZodObject> {
  input: Input
  /**
   * What each field is for, unless its schema describes it. Before two spaces stands how it is typed, where name and type do
   * not say that. In help these come first.
   */
  help?: Partial<Record<keyof z.infer<Input>, string>>
  /** Fields that exclude others. */
  conflicts?: Partial<Record<keyof z.infer<Input>, string[]>>
}

interface Description<Input extends z.ZodObject, Answer extends object> extends Fields<Input> {
  summary: string
  /** What is typed behind the name of the command. */
  examples: readonly string[]
  /** An installation may begin with it. */
  makesDatabase?: boolean
  /** The question before something is lost; undefined: there is nothing to lose. */
  asks?: (admin: Admin, input: z.infer<Input>) => string | undefined | Promise<string | undefined>
  run: (admin: Admin, input: z.infer<Input>) => Answer | Promise<Answer>
  /** With `--json`, where it is not the answer itself. */
  json?: (answer: Answer, input: z.infer<Input>) => object
  lines: (answer: Answer, input: z.infer<Input>, admin: Admin) => string[]
}

/** Makes the command of a name, `words` being those that are typed. */
type Maker = (name: string, words: string) => Command

/** A group of commands by their names. Those that are made by hand need no words. */
export function group(name: string, summary: string, example: string, makers: Record<string, Maker>): Command {
  const made = command(name, summary, `${name} ${example}`)
  for (const [child, make] of Object.entries(makers)) made.addCommand(make(child, `${name} ${child}`))
  return made
}

/** What a procedure of the console takes. */
export const inputOf = <Input extends z.ZodObject>(procedure: {
  '~orpc': { inputSchema?: Input | undefined }
}): Input => procedure['~orpc'].inputSchema as Input

/** Of the many commands that take the same. */
export const ofApp = '--app <id>  app'
export const NO_INPUT = { examples: [''], input: z.object({}) }
export const APP_OPTION = z.object({ appId: z.string().describe(ofApp) })
export const APP_ARGUMENT = z.object({ appId: z.string().describe('<appId>  app') })

/** A field that the command line reads in a way of its own. */
export const readBy = <Value>(read: (text: string) => Value) => z.custom<Value>().meta({ read })
export const count = readBy(oneOrMore)

export const flag = (help: string) => z.boolean().optional().describe(help)
export const number = (help: string) => z.int().optional().describe(help)
export const texts = (help: string) => z.array(z.string()).optional().describe(help)
export const text = (help: string) => z.string().optional().describe(help)
/** Without a value these are `true`: what they would name is taken away. */
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

export function administering<Input extends z.ZodObject, Answer extends object>(
  description: Description<Input, Answer>,
): Maker {
  const { summary, examples, asks, run, json, lines } = description
  return (name, words) => {
    const made = onDataCommand(name, summary, ...examples.map((example) => `${words} ${example}`.trimEnd()))
    const fields = fieldsOf(description)
    if (asks && !fields.some(({ field }) => field === 'yes')) made.addOption(yesOption())
    for (const { typedAs } of fields)
      if (typedAs instanceof Option) made.addOption(typedAs)
      else made.addArgument(typedAs)
    return made.action(async (...typed: unknown[]) => {
      const options = made.opts()
      const valueTyped = (typedAs: Option | Argument) =>
        typedAs instanceof Option ? options[typedAs.attributeName()] : typed[made.registeredArguments.indexOf(typedAs)]
      const values = fields.map(({ field, typedAs, standard }) => [field, valueTyped(typedAs) ?? standard])
      const input = Object.fromEntries(values.filter(([, value]) => value !== undefined)) as z.infer<Input>
      await (description.makesDatabase ? onDataOrNew : onData)(options, async (opened, output) => {
        const admin = { ...opened, ...adminOf(opened), numbering: opened.config.numbering }
        const question = await asks?.(admin, input)
        if (question !== undefined) await confirm(options, question)
        const answer = await run(admin, input)
        output(json?.(answer, input) ?? answer, lines(answer, input, admin))
      })
    })
  }
}

interface Field {
  field: string
  typedAs: Option | Argument
  /** Its value where none is given. */
  standard: unknown
}

const fieldsOf = <Input extends z.ZodObject>({ input, help = {}, conflicts }: Fields<Input>): Field[] =>
  [...new Set([...Object.keys(help), ...Object.keys(input.shape)])].map((field) => {
    const schema: z.ZodType = input.shape[field]
    const text = help[field as keyof z.infer<Input>] ?? schema.description ?? ''
    const { type, standard } = unwrapped(schema)
    const typedAs = optionOrArgument(field, type, text, !schema.isOptional())
    if (typedAs instanceof Option) typedAs.conflicts(conflicts?.[field as keyof z.infer<Input>] ?? [])
    // Help says nothing of an empty list.
    if (standard !== undefined && !Array.isArray(standard)) typedAs.default(standard)
    return { field, typedAs, standard }
  })

function optionOrArgument(field: string, type: z.ZodType, help: string, isRequired: boolean): Option | Argument {
  const [, flags = flagsOf(field, type), text] = /^(?:([-<[].*?) {2})?(.*)$/s.exec(help) ?? []
  const made = flags.startsWith('-')
    ? new Option(flags, text).makeOptionMandatory(isRequired)
    : new Argument(flags, text)
  const element = type instanceof z.ZodArray ? type.element : type
  if (element instanceof z.ZodEnum) made.choices(element.options.map(String))
  else if (element instanceof z.ZodLiteral) made.choices([...element.values].map(String))
  else if (type instanceof z.ZodArray && !flags.includes('...')) made.argParser(collect)
  else if (type === at) made.argParser(instant)
  else if (type instanceof z.ZodCustom) made.argParser(type.meta()?.read as typeof oneOrMore)
  else if (type instanceof z.ZodNumber) made.argParser(wholeNumber)
  return made
}

/** The type itself, and the value it has where none is given. */
function unwrapped(schema: z.ZodType): { type: z.ZodType; standard?: unknown } {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNonOptional)
    return unwrapped(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodDefault)
    return { ...unwrapped(schema.unwrap() as z.ZodType), standard: schema.def.defaultValue }
  return { type: schema }
}

function flagsOf(field: string, type: z.ZodType): string {
  const name = field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  if (type instanceof z.ZodBoolean) return `--${name}`
  return `--${name} <${type === at ? 'date' : type instanceof z.ZodNumber || type instanceof z.ZodCustom ? 'n' : name}>`
}
