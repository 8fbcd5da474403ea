// Every command, in the order of the help.
import { adminPassword } from './admin-password.ts'
import { adminSignOut } from './admin-sign-out.ts'
import { auditList } from './audit-list.ts'
import { blocksClear } from './blocks-clear.ts'
import { blocksList } from './blocks-list.ts'
import { check } from './check.ts'
import { companyDisable, companyEnable, companyShow } from './company.ts'
import { config } from './config.ts'
import { demo } from './demo.ts'
import { importCommand } from './import.ts'
import { keysCreate } from './keys-create.ts'
import { keysList } from './keys-list.ts'
import { keysPreview } from './keys-preview.ts'
import { keysRegenerate } from './keys-regenerate.ts'
import { keysRevoke } from './keys-revoke.ts'
import { keysRotate } from './keys-rotate.ts'
import { keysShow } from './keys-show.ts'
import { keysUnused } from './keys-unused.ts'
import { keysUpdate } from './keys-update.ts'
import { pullCommand } from './pull.ts'
import type { Runnable } from './runnable.ts'
import { schemaApply, schemaPrint, schemaRemove } from './schema.ts'
import { serve } from './serve.ts'
import { usageList } from './usage-list.ts'
import { viewsApply, viewsPrint } from './views.ts'

export const commands: readonly Runnable[] = [
  serve,
  demo,
  schemaApply,
  schemaRemove,
  schemaPrint,
  importCommand,
  viewsPrint,
  viewsApply,
  check,
  keysCreate,
  keysList,
  keysShow,
  keysPreview,
  keysUpdate,
  keysRegenerate,
  keysRotate,
  keysRevoke,
  keysUnused,
  companyEnable,
  companyDisable,
  companyShow,
  blocksList,
  blocksClear,
  auditList,
  usageList,
  adminPassword,
  adminSignOut,
  pullCommand,
  config,
]
