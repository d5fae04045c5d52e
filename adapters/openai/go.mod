module github.com/toolscope/toolscope/adapters/openai

go 1.26.0

require (
	github.com/openai/openai-go/v3 v3.95.0
	github.com/toolscope/toolscope v0.1.0
)
