/**
 * The small changes a slip of the hand or of the head could make to a piece of code, found on its syntax tree: an edge, a
 * condition, a statement left out. What no test should hold fast is no site: types, imports, words, log lines,
 * descriptions.
 */
import ts from 'typescript5'

/** `text` in place of what stands from `start` to `end`. */
export interface Change {
  start: number
  end: number
  text: string
}

/** One place in the code and every change that may be made there; each place is as likely as any other. */
export type Site = Change[]

export function sitesOf(source: ts.SourceFile): Site[] {
  const sites: Site[] = []
  const visit = (node: ts.Node) => {
    if (isOutOfScope(node, source)) return
    const changes = changesOf(node, source)
    if (changes.length > 0) sites.push(changes)
    if (ts.isObjectLiteralExpression(node))
      node.properties.forEach((member, index) => {
        if (!isOutOfScope(member, source)) sites.push([withoutMember(node, index, source)])
      })
    ts.forEachChild(node, visit)
  }
  visit(source)
  return sites
}

export const parse = (path: string, text: string) => ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)

/** The compiler keeps what it read wrong to itself until a program is made of it. */
export const isParsed = (source: ts.SourceFile) =>
  (source as ts.SourceFile & { parseDiagnostics: unknown[] }).parseDiagnostics.length === 0

export const applied = (text: string, { start, end, text: changed }: Change) =>
  text.slice(0, start) + changed + text.slice(end)

function isOutOfScope(node: ts.Node, source: ts.SourceFile): boolean {
  if (ts.isTypeNode(node) || ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node)) return true
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true
  if (ts.isPropertyAssignment(node) && /^(description|summary)$/.test(node.name.getText(source))) return true
  if (ts.isExpressionStatement(node)) return isOutOfScope(node.expression, source)
  if (ts.isNewExpression(node)) return /Error$/.test(node.expression.getText(source))
  return ts.isCallExpression(node) && /\blog\.\w+$/.test(node.expression.getText(source))
}

const OTHER_OPERATOR = new Map([
  ...both('<', '<='),
  ...both('>', '>='),
  ...both('===', '!=='),
  ...both('&&', '||'),
  ...both('+', '-'),
  ...both('+=', '-='),
])
const OTHER_METHOD = new Map([...both('some', 'every'), ...both('min', 'max')])
/** Their result is of the kind they were called on. */
const STEPS = ['filter', 'slice', 'toReversed', 'toSorted', 'trim', 'toLowerCase']

function both(one: string, other: string): [string, string][] {
  return [
    [one, other],
    [other, one],
  ]
}

function changesOf(node: ts.Node, source: ts.SourceFile): Change[] {
  const text = (part: ts.Node) => part.getText(source)
  const replace = (part: ts.Node, by: string): Change => ({ start: part.getStart(source), end: part.end, text: by })
  const drop = (start: number): Change => ({ start, end: node.end, text: '' })

  if (ts.isBinaryExpression(node)) {
    const operator = text(node.operatorToken)
    if (operator === '??') return [drop(node.left.end)]
    const other = OTHER_OPERATOR.get(operator)
    return other ? [replace(node.operatorToken, other)] : []
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return [replace(node, text(node.operand))]
  if (ts.isIfStatement(node) && !negatesItself(node.expression, source))
    return [replace(node.expression, `!(${text(node.expression)})`)]
  if (ts.isConditionalExpression(node)) {
    const swapped = `${text(node.whenFalse)} : ${text(node.whenTrue)}`
    return [{ start: node.whenTrue.getStart(source), end: node.whenFalse.end, text: swapped }]
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [replace(node, 'false')]
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [replace(node, 'true')]
  if (ts.isNumericLiteral(node) && !isName(node))
    return otherNumbers(Number(node.text)).map((number) => replace(node, String(number)))
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { name, expression } = node.expression
    const other = OTHER_METHOD.get(name.text)
    if (other) return [replace(name, other)]
    return STEPS.includes(name.text) ? [drop(expression.end)] : []
  }
  return isLeftOut(node) ? [replace(node, ';')] : []
}

/** Their own change says the same. */
const negatesItself = (condition: ts.Expression, source: ts.SourceFile) =>
  (ts.isBinaryExpression(condition) && ['===', '!=='].includes(condition.operatorToken.getText(source))) ||
  (ts.isPrefixUnaryExpression(condition) && condition.operator === ts.SyntaxKind.ExclamationToken)

const isName = (node: ts.Node) => ts.isPropertyAssignment(node.parent) && node.parent.name === node

const otherNumbers = (number: number) => [...new Set([number + 1, number * 2, 0])].filter((other) => other !== number)

/** A return or throw that ends a function early, or a statement that only calls. */
function isLeftOut(node: ts.Node): boolean {
  if (ts.isReturnStatement(node) || ts.isThrowStatement(node))
    return ts.isIfStatement(ts.isBlock(node.parent) ? node.parent.parent : node.parent)
  if (!ts.isExpressionStatement(node)) return false
  const called = ts.isAwaitExpression(node.expression) ? node.expression.expression : node.expression
  return ts.isCallExpression(called) && called.expression.kind !== ts.SyntaxKind.SuperKeyword
}

function withoutMember({ properties }: ts.ObjectLiteralExpression, index: number, source: ts.SourceFile): Change {
  const member = properties[index] as ts.ObjectLiteralElementLike
  const next = properties[index + 1]
  return { start: member.getStart(source), end: next ? next.getStart(source) : properties.end, text: '' }
}

/**
 * What stands at the top of a file on one line runs as soon as the file is loaded, and says little until somebody calls it by
 * its name: that name, unless the change is inside a function of several lines.
 */
export function nameOf({ start }: Change, source: ts.SourceFile): string | undefined {
  const statement = source.statements.find((each) => each.pos <= start && start < each.end)
  if (!statement || !ts.isVariableStatement(statement)) return undefined
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line
  const isInBody = (node: ts.Node): boolean =>
    node.pos <= start &&
    start < node.end &&
    ((ts.isFunctionLike(node) && lineOf(node.getStart(source)) < lineOf(start)) ||
      ts.forEachChild(node, (child) => isInBody(child) || undefined) === true)
  const [declaration] = statement.declarationList.declarations
  return declaration && ts.isIdentifier(declaration.name) && !isInBody(statement) ? declaration.name.text : undefined
}
