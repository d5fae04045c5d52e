module github.com/toolscope/toolscope/adapters/langchain

go 1.26.0

require (
	github.com/tmc/langchaingo v0.1.14
	github.com/toolscope/toolscope v0.1.0
)
