/** Whether the compiler would let a changed file pass. What it refuses is no test's business, so it is never drawn. */
import { join } from 'node:path'
import ts from 'typescript5'

export class Compiler {
  private readonly changed = new Map<string, { version: number; text: string }>()
  private readonly service: ts.LanguageService

  /** `paths` are the files that may change. */
  constructor(
    private readonly root: string,
    paths: readonly string[],
  ) {
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
    const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root)
    const declarations = fileNames.filter((path) => path.endsWith('.d.ts'))
    const files = [...declarations, ...paths.map((path) => join(root, path))]
    const read = (path: string) => this.changed.get(path)?.text ?? ts.sys.readFile(path)
    this.service = ts.createLanguageService({
      ...ts.sys,
      useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
      readFile: read,
      getCompilationSettings: () => ({ ...options, noUnusedLocals: false, noUnusedParameters: false }),
      getScriptFileNames: () => files,
      getScriptVersion: (path) => String(this.changed.get(path)?.version ?? 0),
      getScriptSnapshot(path) {
        const text = read(path)
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
      },
      getCurrentDirectory: () => root,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
    })
  }

  /** One file with another text; the others as they stand. */
  accepts(path: string, text: string): boolean {
    const file = join(this.root, path)
    const original = ts.sys.readFile(file) ?? ''
    this.set(file, text)
    const isAccepted =
      this.service.getSyntacticDiagnostics(file).length === 0 && this.service.getSemanticDiagnostics(file).length === 0
    this.set(file, original)
    return isAccepted
  }

  private set(file: string, text: string) {
    this.changed.set(file, { version: (this.changed.get(file)?.version ?? 0) + 1, text })
  }
}
