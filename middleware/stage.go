// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware

// A Stage is a position in the fixed order of policies, outermost first.
type Stage uint8

// The stages. The order is part of the contract; docs/policies.md has the reasons.
const (
	StageRecover  Stage = iota // makes a result of a panic
	StageInject                // host parameters: they belong to the call's identity
	StageLoop                  // before refusals, so that a repeated refused call is noticed
	StageTruncate              // how much of a result the model gets
	StageValidate              // rules may rely on the arguments' shape
	StagePermit                // no stored answer bypasses a refusal
	StageBaseline              // learns what may run; an unusual call can become a question
	StageApprove               // a person's yes or no
	StageDedupe                // duplicates share one look-up and one fill
	StageCache                 // a hit costs no budget, slot or time
	StageBudget                // what runs is paid for
	StageRetry                 // each attempt asks the breaker, waits for its slot, and has its own clock
	StageBreaker               // sees attempts, not waits
	StageLimit                 // a slot is held only while the tool runs
	StageTimeout               // counts running time only

	stages // how many there are
)

// stageTable describes the stages, in their order. No other code may list them: see internal/repocheck.
var stageTable = [...]struct {
	name string
	// beforeTool is whether the stage's policies decide before the tool runs, by the arguments alone. They can
	// govern a stream, and a call that goes back to its caller for input passes them once.
	beforeTool bool
}{
	{"recover", false},
	{"inject", true},
	{"loop", true},
	{"truncate", false},
	{"validate", true},
	{"permit", true},
	{"baseline", true},
	{"approve", true},
	{"dedupe", false},
	{"cache", false},
	{"budget", false},
	{"retry", false},
	{"breaker", false},
	{"limit", false},
	{"timeout", false},
}

var _ [int(stages)]struct{} = [len(stageTable)]struct{}{}

// Stages are all stages, outermost first.
func Stages() []Stage {
	all := make([]Stage, stages)
	for i := range all {
		all[i] = Stage(i)
	}
	return all
}

// String is the stage's name in lower case; "unknown" for none of the constants.
func (s Stage) String() string {
	if s < stages {
		return stageTable[s].name
	}
	return "unknown"
}

// BeforeTool reports whether policies of the stage decide before the tool runs, by the call's arguments alone.
func (s Stage) BeforeTool() bool { return s < stages && stageTable[s].beforeTool }
