// Every command of the service, in the order of the help.
import { adminAdd, adminList, adminPassword, adminRemove, adminRole, adminSignOut } from './admin.ts'
import { auditList } from './audit-list.ts'
import { blocksClear, blocksList } from './blocks.ts'
import { check } from './check.ts'
import { companyDisable, companyEnable, companyShow } from './company.ts'
import { config } from './config.ts'
import { copy } from './copy.ts'
import { demo } from './demo.ts'
import { importCommand } from './import.ts'
import { keysCreate, keysRegenerate, keysRevoke, keysRotate, keysUpdate } from './keys-change.ts'
import { keysList, keysPreview, keysShow, keysUnused } from './keys-show.ts'
import type { Runnable } from './command.ts'
import { schemaApply, schemaPrint, schemaPrune, schemaRemove } from './schema.ts'
import { serve } from './serve.ts'
import { usageList } from './usage-list.ts'
import { viewsPrint } from './views.ts'

export const commands: readonly Runnable[] = [
  serve,
  demo,
  schemaApply,
  schemaRemove,
  schemaPrune,
  schemaPrint,
  importCommand,
  copy,
  viewsPrint,
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
  adminList,
  adminAdd,
  adminPassword,
  adminRole,
  adminRemove,
  adminSignOut,
  config,
]
